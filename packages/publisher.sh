# Who publishes the packages, read by the scripts that make them. A publisher sets both here, or in the environment;
# tools/dist/check_publisher.sh refuses to release with the placeholders.
# MAINTAINER: the maintainer of the Debian packages, "NAME <ADDRESS>".
MAINTAINER="${MAINTAINER:-The libtiledb-rs maintainers <maintainers@libtiledb-rs.invalid>}"
# REPOSITORY: the address of the sources, https://...; links of the shipped documents to files that are not shipped lead there.
REPOSITORY="${REPOSITORY:-}"
export MAINTAINER REPOSITORY
