/* SPDX-License-Identifier: Apache-2.0 */
/* What a command is waiting for, on one line of the terminal that is gone again when it ends. Nowhere else, and not with -q. */
#ifndef CMD_PROGRESS_H
#define CMD_PROGRESS_H

#include "cmd.h"

/** progress - "what", in place of what was there; made safe. Nothing at all unless standard error is a terminal */
void progress(const struct session *s, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/** progress_end - the line is empty again, before anything else is printed */
void progress_end(const struct session *s);

#endif
