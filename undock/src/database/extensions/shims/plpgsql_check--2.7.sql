-- plpgsql_check's functions by name; a call reports that they cannot run. Facts: okbob/plpgsql_check.

create function plpgsql_check_function(
  funcoid regprocedure, relid regclass default 0, format text default 'text', fatal_errors boolean default true,
  other_warnings boolean default true, performance_warnings boolean default false, extra_warnings boolean default true
) returns setof text language plpgsql as $$
begin
  raise exception 'plpgsql_check cannot run in undock: it is not built for its engine'
    using errcode = '0A000', hint = 'The native engine takes it from a PostgreSQL of this machine (Debian, Ubuntu: postgresql-17-plpgsql-check).';
end
$$;
create function plpgsql_check_function_tb(
  funcoid regprocedure, relid regclass default 0, fatal_errors boolean default true, other_warnings boolean default true,
  performance_warnings boolean default false, extra_warnings boolean default true
) returns table (
  functionid regproc, lineno integer, statement text, sqlstate text, message text, detail text, hint text, level text,
  "position" integer, query text, context text
) language plpgsql as $$
begin
  raise exception 'plpgsql_check cannot run in undock: it is not built for its engine'
    using errcode = '0A000', hint = 'The native engine takes it from a PostgreSQL of this machine (Debian, Ubuntu: postgresql-17-plpgsql-check).';
end
$$;
