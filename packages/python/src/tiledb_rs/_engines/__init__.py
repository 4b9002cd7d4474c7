"""What query engines and xarray share: predicates that are pushed down, scans, and conventions of NetCDF."""
