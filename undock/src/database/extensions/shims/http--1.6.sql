-- pgsql-http's types and functions. The statement waits for the response. Requests go through a device file on PGlite,
-- and through a program in the data directory of a server that undock starts; elsewhere calls fail.
-- Facts: pramsey/pgsql-http, http.sql.

create domain http_method as text;
create type http_header as (field character varying, value character varying);
create type http_response as (
  status integer, content_type character varying, headers http_header[], content character varying
);
create type http_request as (
  method http_method, uri character varying, headers http_header[], content_type character varying, content character varying
);

create function http_header(field character varying, value character varying) returns http_header
language sql as $$ select $1, $2 $$;

create function http_headers(variadic args text[]) returns http_header[] language sql as $$
  select array_agg((args[place], args[place + 1])::@extschema@.http_header)
  from generate_series(1, cardinality(args) - 1, 2) as place
$$;

create function _http_exchange(request text) returns text
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
declare
  device constant text := '/dev/undock_http';
  program constant text := './undock_http';
  encoded constant text := translate(encode(convert_to(request, 'utf8'), 'base64'), E'\n', '');
  -- The server itself cleans up this folder after a cancelled statement.
  response_file constant text := 'base/pgsql_tmp/pgsql_tmp_http.' || pg_backend_pid();
  response text;
begin
  -- Not `is not null`, which is false for a row with any null field, as on some systems.
  if not (pg_stat_file(device, true) is null) then
    execute format('copy (select %L) to %L', encoded, device);
    return pg_read_file(device);
  end if;
  if pg_stat_file(program, true) is null then
    raise exception 'http cannot run on this server: undock has not started it, and nothing there leads to the network' using
      errcode = '0A000',
      hint = 'Use pg_net, or an engine that undock starts (engine in supabase/undock.toml).';
  end if;
  execute format('copy (select %L) to program %L', encoded, program || ' ' || response_file);
  response := pg_read_file(response_file);
  -- No row, because writing one fails when `rm` has ended already.
  execute format('copy (select where false) to program %L', 'rm ' || response_file);
  return response;
end
$$;
revoke all on function _http_exchange(text) from public;

create function http(request http_request) returns http_response
language plpgsql volatile security definer set search_path = @extschema@, pg_catalog, pg_temp as $$
declare
  answer json := _http_exchange(json_build_object(
    'method', upper(request.method),
    'uri', request.uri,
    'headers', (
      select coalesce(json_agg(json_build_array(h.field, h.value)), '[]') from unnest(request.headers) as h
    ),
    'contentType', request.content_type,
    'content', request.content,
    'timeout', coalesce(nullif(current_setting('http.timeout_msec', true), ''), '5000')::integer
  )::text)::json;
begin
  if answer ->> 'error' is not null then
    raise exception using errcode = '22000', message = answer ->> 'error';
  end if;
  return row(
    (answer ->> 'status')::integer,
    answer ->> 'contentType',
    (select array_agg((h ->> 0, h ->> 1)::http_header) from json_array_elements(answer -> 'headers') as h),
    answer ->> 'content'
  )::http_response;
end
$$;

create function urlencode(string bytea) returns text language sql immutable strict as $$
  select coalesce(string_agg(
    case
      when chr(get_byte(string, place)) ~ '^[A-Za-z0-9_.~-]$' then chr(get_byte(string, place))
      else '%' || upper(lpad(to_hex(get_byte(string, place)), 2, '0'))
    end, '' order by place), '')
  from generate_series(0, length(string) - 1) as place
$$;
create function urlencode(string character varying) returns text language sql immutable strict as $$
  select @extschema@.urlencode(convert_to(string, 'utf8'))
$$;
create function urlencode(data jsonb) returns text language sql immutable strict as $$
  select string_agg(@extschema@.urlencode(key::varchar) || '=' || @extschema@.urlencode(value::varchar), '&')
  from jsonb_each_text(data)
$$;

create function http_get(uri character varying) returns http_response language sql as $$
  select @extschema@.http(('GET', $1, null, null, null)::@extschema@.http_request)
$$;
create function http_get(uri character varying, data jsonb) returns http_response language sql as $$
  select @extschema@.http(('GET', $1 || '?' || @extschema@.urlencode($2), null, null, null)::@extschema@.http_request)
$$;
create function http_post(uri character varying, content character varying, content_type character varying)
returns http_response language sql as $$
  select @extschema@.http(('POST', $1, null, $3, $2)::@extschema@.http_request)
$$;
create function http_post(uri character varying, data jsonb) returns http_response language sql as $$
  select @extschema@.http(
    ('POST', $1, null, 'application/x-www-form-urlencoded', @extschema@.urlencode($2))::@extschema@.http_request
  )
$$;
create function http_put(uri character varying, content character varying, content_type character varying)
returns http_response language sql as $$
  select @extschema@.http(('PUT', $1, null, $3, $2)::@extschema@.http_request)
$$;
create function http_patch(uri character varying, content character varying, content_type character varying)
returns http_response language sql as $$
  select @extschema@.http(('PATCH', $1, null, $3, $2)::@extschema@.http_request)
$$;
create function http_delete(uri character varying) returns http_response language sql as $$
  select @extschema@.http(('DELETE', $1, null, null, null)::@extschema@.http_request)
$$;
create function http_delete(uri character varying, content character varying, content_type character varying)
returns http_response language sql as $$
  select @extschema@.http(('DELETE', $1, null, $3, $2)::@extschema@.http_request)
$$;
create function http_head(uri character varying) returns http_response language sql as $$
  select @extschema@.http(('HEAD', $1, null, null, null)::@extschema@.http_request)
$$;

create function http_set_curlopt(curlopt character varying, value character varying) returns boolean
language plpgsql volatile as $$
begin
  case upper(curlopt)
    when 'CURLOPT_TIMEOUT_MSEC' then perform set_config('http.timeout_msec', value, false);
    when 'CURLOPT_TIMEOUT_MS' then perform set_config('http.timeout_msec', value, false);
    when 'CURLOPT_TIMEOUT' then perform set_config('http.timeout_msec', (value::integer * 1000)::text, false);
    else raise warning 'undock''s http knows no option % and continues without it', curlopt;
  end case;
  return true;
end
$$;
create function http_reset_curlopt() returns boolean language sql as $$
  select set_config('http.timeout_msec', '', false) is not null
$$;
create function http_list_curlopt() returns table (curlopt text, value text) language sql as $$
  select 'CURLOPT_TIMEOUT_MSEC', current_setting('http.timeout_msec', true)
  where current_setting('http.timeout_msec', true) <> ''
$$;

create function bytea_to_text(data bytea) returns text language sql immutable strict as $$
  select convert_from(data, getdatabaseencoding())
$$;
create function text_to_bytea(data text) returns bytea language sql immutable strict as $$
  select convert_to(data, getdatabaseencoding())
$$;

-- The project controls the schema, so a function that resolves names in it runs with the project's rights.
alter function http(http_request) owner to postgres;
grant execute on function _http_exchange(text) to postgres;
