"""The library through ctypes: functions, contexts, errors, and the structs of Arrow."""
