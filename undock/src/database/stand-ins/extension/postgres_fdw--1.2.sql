-- The wrapper by name, so that servers and foreign tables can be defined; Postgres itself says "has no handler" when one
-- is read.

create foreign data wrapper postgres_fdw;
do $$
begin
  raise warning 'postgres_fdw: servers and foreign tables can be defined, but the engine cannot reach other servers';
end
$$;
