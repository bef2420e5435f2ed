"""What calls and sessions are measured by: the published measure, and a corrected one."""
