# The oldest glibc that the packages run on: that of manylinux_2_28, Debian 10, RHEL 8.
GLIBC=2.28
# The oldest musl, as in the tag of wheels: that of Alpine 3.18 is 1.2.4.
MUSL=1_2
