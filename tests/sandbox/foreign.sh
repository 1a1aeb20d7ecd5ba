#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# foreign - a disk of a build that its owner has since put to other use is left alone by
# destroy, and the rest too; once it is free again, destroy goes on.
# shellcheck source=tests/sandbox/lib.sh disable=SC2016
. "${srcdir:-.}/tests/sandbox/lib.sh"

memory=512M box --disk hdd:400MiB --disk hdd:400MiB -- sh -c '
set -e
naslab build "md level=raid1 | xfs" all --name t --yes
umount /srv/t
mdadm --stop /dev/md/t-data
mdadm --zero-superblock /dev/ubda
mkfs.ext4 -q -F -L photos /dev/ubda
set +e
naslab destroy t --yes
echo "status $?"
echo "label $(blkid -p -s LABEL -o value /dev/ubda), other $(blkid -p -s TYPE -o value /dev/ubdb)"
wipefs --all --quiet /dev/ubda
naslab destroy t --yes
echo "then $?, left: $(wipefs --noheadings /dev/ubda /dev/ubdb)."
' </dev/null
is "the build and the test ran" $? 0
holds "destroy refuses with 3" grep -q '^status 3$' "$out"
holds "and names disk and content" grep -q 'ubda no longer holds what t put there: ubda now has ext4' "$errors"
holds "both disks are as they were" grep -q '^label photos, other linux_raid_member$' "$out"
holds "and when it is free, all is blank" grep -q '^then 0, left: \.$' "$out"
[ $failed = 0 ] || cat "$out" "$errors"
finish
