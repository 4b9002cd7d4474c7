#!/bin/sh
# Checks before a release that packages/publisher.sh names a maintainer who can be written to, and where the sources are.
# usage: check_publisher.sh
set -eu
cd "$(dirname "$0")/../.."
. packages/publisher.sh
failed=0
wrong() { echo "packages/publisher.sh: $*" >&2 && failed=1; }
address=$(echo "$MAINTAINER" | sed -n 's/^[^<>]* <\([^<>@ ]*@[^<>@ ]*\.[^<>@ .]*\)>$/\1/p')
case $address in
'') wrong "MAINTAINER is '$MAINTAINER', not NAME <ADDRESS>" ;;
*.invalid | *.example | *.test | *.localhost | *@example.*) wrong "MAINTAINER has the placeholder $address" ;;
esac
case $REPOSITORY in
https://*.invalid* | https://*.example* | https://example.*) wrong "REPOSITORY has the placeholder $REPOSITORY" ;;
https://?*.?*/?*) ;;
*) wrong "REPOSITORY is '$REPOSITORY', not https://HOST/PATH" ;;
esac
exit $failed
