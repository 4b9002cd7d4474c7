#!/bin/sh
# Sets up a small Ceph with its S3 gateway in a folder of its own, runs the S3 tests against it, and stops it again.
# Usage: tools/ceph.sh [COMMAND...]; without a command the test `cloud` runs. Ceph checks signatures strictly and refuses bodies
# whose length is not said, which is what libtiledb sends unless two variables tell it not to.
set -eu
cd "$(dirname "$0")/.."
[ $# -gt 0 ] || set -- cargo test --locked --test cloud

folder=$(mktemp -d)
mkdir -p "$folder/mon" "$folder/osd" "$folder/mgr" "$folder/run" "$folder/log"
gateway=
stop() {
    pids="$gateway $(cat "$folder"/run/*.pid 2>/dev/null || true)"
    for pid in $pids; do kill "$pid" 2>/dev/null || true; done
    for pid in $pids; do
        waited=0
        while kill -0 "$pid" 2>/dev/null; do
            waited=$((waited + 1))
            [ $waited -lt 20 ] || { kill -9 "$pid" 2>/dev/null || true; break; }
            sleep 0.5
        done
    done
    rm -rf "$folder"
}
trap stop EXIT
trap 'exit 1' INT TERM

free_port() {
    python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])'
}
monitor=$(free_port) port=$(free_port) id=$(cat /proc/sys/kernel/random/uuid)
cat >"$folder/ceph.conf" <<CONF
[global]
fsid = $id
mon host = [v2:127.0.0.1:$monitor]
public network = 127.0.0.0/8
public addr = 127.0.0.1
cluster addr = 127.0.0.1
auth cluster required = none
auth service required = none
auth client required = none
osd pool default size = 1
osd pool default min size = 1
osd pool default pg num = 8
osd crush chooseleaf type = 0
mon allow pool size one = true
mon max pg per osd = 500
osd objectstore = memstore
memstore device bytes = 4294967296
run dir = $folder/run
log file = $folder/log/\$name.log
admin socket = $folder/run/\$name.asok
pid file = $folder/run/\$name.pid
keyring = $folder/keyring
mon data = $folder/mon
osd data = $folder/osd
mgr data = $folder/mgr
rgw s3 auth use sts = true
rgw sts key = 0123456789abcdef
setuser match path = $folder
CONF
# What is said on the way is of use only where something fails.
quietly() {
    "$@" >"$folder/log/command" 2>&1 || { cat "$folder/log/command" >&2; exit 1; }
}
export CEPH_CONF="$folder/ceph.conf"
quietly ceph-authtool --create-keyring "$folder/keyring" --gen-key -n mon. --cap mon 'allow *'
quietly ceph-authtool "$folder/keyring" --gen-key -n client.admin --cap mon 'allow *' --cap osd 'allow *' --cap mgr 'allow *'
quietly monmaptool --create --fsid "$id" --addv a "[v2:127.0.0.1:$monitor]" "$folder/monmap"
quietly ceph-mon -i a --mkfs --monmap "$folder/monmap" --keyring "$folder/keyring"
quietly ceph-mon -i a
quietly ceph osd create
quietly ceph-osd -i 0 --mkfs --osd-uuid "$(cat /proc/sys/kernel/random/uuid)"
quietly ceph-osd -i 0
quietly ceph osd crush add osd.0 1.0 root=default host=localhost
quietly ceph-mgr -i x
until ceph -s 2>/dev/null | grep -q 'mgr: x(active'; do sleep 1; done
quietly radosgw-admin user create --uid=test --display-name=test --access-key=test --secret=test
# A role whose keys the user may borrow.
quietly radosgw-admin role create --role-name=lender --path=/ --assume-role-policy-doc='{"Version": "2012-10-17",
    "Statement": [{"Effect": "Allow", "Principal": {"AWS": ["arn:aws:iam:::user/test"]}, "Action": ["sts:AssumeRole"]}]}'
quietly radosgw-admin role-policy put --role-name=lender --policy-name=all --policy-doc='{"Version": "2012-10-17",
    "Statement": [{"Effect": "Allow", "Action": ["s3:*"], "Resource": "arn:aws:s3:::*"}]}'
# Without authentication inside, the gateway must not ask for a secure connection to the monitor.
radosgw -f -n client.admin --no-mon-config --keyring="$folder/keyring" --ms-mon-client-mode=crc \
    --rgw-frontends="beast endpoint=127.0.0.1:$port" >"$folder/log/gateway" 2>&1 &
gateway=$!
waited=0
until python3 -c "import socket; socket.create_connection(('127.0.0.1', $port), 1)" 2>/dev/null; do
    waited=$((waited + 1))
    [ $waited -lt 120 ] && kill -0 "$gateway" 2>/dev/null || { echo "Ceph's gateway does not start:" >&2; tail -5 "$folder/log/gateway" >&2; exit 1; }
    sleep 1
done
echo "$(radosgw --version | cut -d' ' -f1-3) at 127.0.0.1:$port"
STORE=s3 S3_SERVER="127.0.0.1:$port" S3_KEYS=test:test S3_ROLE=arn:aws:iam:::role/lender "$@"
