/** The expression that names the right to take a role (SET ROLE), for `pg_has_role`: every member had it before PostgreSQL 16. */
export const SET_ROLE_RIGHT = `case when current_setting('server_version_num')::int < 160000 then 'member' else 'set' end`
