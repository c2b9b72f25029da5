-- The wrapper by name, so that servers and foreign tables can be defined. Reading a table fails with Postgres's own error
-- "has no handler".

create foreign data wrapper postgres_fdw;
do $$
begin
  raise warning 'postgres_fdw: servers and foreign tables can be defined, but the engine cannot reach other servers';
end
$$;
