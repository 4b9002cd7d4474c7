# The oldest glibc that the packages run on: that of manylinux_2_28, Debian 10, RHEL 8.
GLIBC=2.28
