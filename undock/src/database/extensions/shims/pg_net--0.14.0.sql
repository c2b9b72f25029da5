-- pg_net's tables, types and functions. Requests wait in a queue; undock is notified, sends them after their
-- transaction commits, and keeps each response for `pg_net.ttl`.
-- Facts: supabase/pg_net, sql/; grants as supabase/postgres makes them after `create extension`.

do $$
begin
  if to_regnamespace('net') is null then create schema net; end if;
end
$$;

create domain net.http_method as text check (value ilike 'get' or value ilike 'post' or value ilike 'delete');

create type net.request_status as enum ('PENDING', 'SUCCESS', 'ERROR');

create type net.http_response as (status_code integer, headers jsonb, body text);

create type net.http_response_result as (status net.request_status, message text, response net.http_response);

create unlogged table net.http_request_queue (
  id bigserial,
  method net.http_method not null,
  url text not null,
  headers jsonb,
  body bytea,
  timeout_milliseconds integer not null
);
-- On a replica that takes over, an unlogged sequence may be unreadable and fail every request.
alter sequence net.http_request_queue_id_seq set logged;

create unlogged table net._http_response (
  id bigint,
  status_code integer,
  content_type text,
  headers jsonb,
  content text,
  timed_out boolean,
  error_msg text,
  created timestamptz not null default now()
);
create index on net._http_response (created);

create function net._tell() returns trigger language plpgsql set search_path = '' as $$
begin
  perform pg_catalog.pg_notify('undock', 'pg_net');
  return null;
end
$$;
create trigger tell after insert on net.http_request_queue for each statement execute function net._tell();

create function net._urlencode_string(string character varying) returns text
language sql immutable strict set search_path = '' as $$
  select coalesce(string_agg(
    case
      when letter ~ '^[A-Za-z0-9_.~-]$' then letter
      else upper(regexp_replace(encode(convert_to(letter, 'utf8'), 'hex'), '(..)', '%\1', 'g'))
    end, '' order by place), '')
  from regexp_split_to_table(string, '') with ordinality as letters (letter, place)
$$;

create function net._encode_url_with_params_array(url text, params_array text[]) returns text
language sql immutable strict set search_path = '' as $$
  select case
    when cardinality(params_array) = 0 then url
    else url || case when position('?' in url) > 0 then '&' else '?' end || array_to_string(params_array, '&')
  end
$$;

create function net._with_params(url text, params jsonb) returns text
language sql immutable set search_path = '' as $$
  select net._encode_url_with_params_array(url, coalesce(
    (select array_agg(net._urlencode_string(key) || '=' || net._urlencode_string(value)) from jsonb_each_text(params)),
    '{}'
  ))
$$;

create function net.http_get(
  url text,
  params jsonb default '{}',
  headers jsonb default '{}',
  timeout_milliseconds integer default 5000
) returns bigint
language sql volatile security definer set search_path = pg_catalog, pg_temp as $$
  insert into net.http_request_queue (method, url, headers, timeout_milliseconds)
  values ('GET', net._with_params($1, $2), $3, $4)
  returning id
$$;

create function net.http_post(
  url text,
  body jsonb default '{}',
  params jsonb default '{}',
  headers jsonb default '{"Content-Type": "application/json"}',
  timeout_milliseconds integer default 5000
) returns bigint
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
declare
  content_type text;
  made bigint;
begin
  select value into content_type from jsonb_each_text(headers) where lower(key) = 'content-type' limit 1;
  if content_type is not null and split_part(content_type, ';', 1) <> 'application/json' then
    raise exception 'Content-Type header must be "application/json"';
  end if;
  insert into net.http_request_queue (method, url, headers, body, timeout_milliseconds)
  values (
    'POST',
    net._with_params(url, params),
    case when content_type is null then coalesce(headers, '{}') || '{"Content-Type": "application/json"}' else headers end,
    convert_to(body::text, 'utf8'),
    timeout_milliseconds
  )
  returning id into made;
  return made;
end
$$;

create function net.http_delete(
  url text,
  params jsonb default '{}',
  headers jsonb default '{}',
  timeout_milliseconds integer default 5000,
  body jsonb default null
) returns bigint
language sql volatile security definer set search_path = pg_catalog, pg_temp as $$
  insert into net.http_request_queue (method, url, headers, body, timeout_milliseconds)
  values ('DELETE', net._with_params($1, $2), $3, convert_to($5::text, 'utf8'), $4)
  returning id
$$;

create function net._await_response(request_id bigint) returns boolean
language sql volatile set search_path = '' as $$
  select exists (select from net._http_response where id = request_id)
$$;

create function net._http_collect_response(request_id bigint, async boolean default true) returns net.http_response_result
language plpgsql volatile set search_path = '' as $$
declare
  answer net._http_response;
begin
  select * into answer from net._http_response r where r.id = request_id;
  if found then
    return row(
      (case when answer.error_msg is null then 'SUCCESS' else 'ERROR' end)::net.request_status,
      coalesce(answer.error_msg, 'ok'),
      row(answer.status_code, answer.headers, answer.content)::net.http_response
    )::net.http_response_result;
  end if;
  if exists (select from net.http_request_queue q where q.id = request_id) then
    return row('PENDING'::net.request_status, 'request is pending processing', null)::net.http_response_result;
  end if;
  return row('ERROR'::net.request_status, 'request matching request_id not found', null)::net.http_response_result;
end
$$;

create function net.http_collect_response(request_id bigint, async boolean default true) returns net.http_response_result
language plpgsql volatile set search_path = '' as $$
begin
  raise notice 'The net.http_collect_response function is deprecated.';
  return net._http_collect_response(request_id, async);
end
$$;

create function net.check_worker_is_up() returns void language sql as '';
create function net.worker_restart() returns boolean language sql as 'select true';
create function net.wait_until_running() returns void language sql as '';

grant usage on schema net to supabase_functions_admin, postgres, anon, authenticated, service_role;
grant all on all tables in schema net to postgres, supabase_functions_admin;
grant all on all sequences in schema net to postgres, supabase_functions_admin;
revoke all on function net.http_get(text, jsonb, jsonb, integer) from public;
revoke all on function net.http_post(text, jsonb, jsonb, jsonb, integer) from public;
grant execute on function net.http_get(text, jsonb, jsonb, integer)
  to supabase_functions_admin, postgres, anon, authenticated, service_role;
grant execute on function net.http_post(text, jsonb, jsonb, jsonb, integer)
  to supabase_functions_admin, postgres, anon, authenticated, service_role;

-- The project may add triggers to the queue, so functions that write it must not run as a superuser.
alter function net.http_get(text, jsonb, jsonb, integer) owner to supabase_functions_admin;
alter function net.http_post(text, jsonb, jsonb, jsonb, integer) owner to supabase_functions_admin;
alter function net.http_delete(text, jsonb, jsonb, integer, jsonb) owner to supabase_functions_admin;
