/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TESTS_UNIT_TEST_H
#define TESTS_UNIT_TEST_H

/* What cmocka.h wants before it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#endif
