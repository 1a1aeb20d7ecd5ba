/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef NASLAB_H
#define NASLAB_H

/* The engine, for src/cmd/ and ui/: they include this header and none of the rooms'. */

#include "base/arena.h"
#include "base/argv.h"
#include "base/cells.h"
#include "base/err.h"
#include "base/json.h"
#include "base/sbuf.h"
#include "base/text.h"
#include "base/units.h"
#include "bench/bench.h"
#include "bench/statistics.h"
#include "bench/suite.h"
#include "build/build.h"
#include "campaign/campaign.h"
#include "chart/chart.h"
#include "disk/disk.h"
#include "layout/compare.h"
#include "layout/layer.h"
#include "layout/losses.h"
#include "layout/pick.h"
#include "layout/plan.h"
#include "layout/recipe.h"
#include "layout/stack.h"
#include "report/report.h"
#include "sandbox/sandbox.h"
#include "store/store.h"

#endif
