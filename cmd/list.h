/* SPDX-License-Identifier: Apache-2.0 */
/* The commands, a line each, read twice: to declare and to list. Makes --help. */
COMMAND(lint)
COMMAND(plan)
COMMAND(apply)
COMMAND(confirm)
COMMAND(rollback)
COMMAND(recover)
COMMAND(history)
COMMAND(drift)
COMMAND(show)
COMMAND(explain)
COMMAND(dump)
COMMAND(version)
