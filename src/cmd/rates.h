/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef CMD_RATES_H
#define CMD_RATES_H

#include "naslab.h"

/* The numbers of a result, a run or an event, on standard output (rates.c). */

/* One of its rates in what it counts: "96.4", "12.3k". */
const char *rate_text(char buf[SIZE_TEXT], const json_t *j, const char *which, bool durable);
const char *mbps_text(char buf[SIZE_TEXT], const json_t *j, const char *key);
/* Bytes at the disks to bytes of files; "-" when there is no disk that could be asked. */
const char *ratio_text(char buf[SIZE_TEXT], const json_t *j);
void put_latency(const json_t *j);
/* A line with the spread of several streams behind `before`; nothing where there is one. */
void put_streams(const json_t *j, const char *before);

#endif
