-- pgjwt's functions based on pgcrypto. Facts: michelp/pgjwt, and RFC 7515 for the encoding.

create function url_encode(data bytea) returns text language sql immutable as $$
  select pg_catalog.translate(pg_catalog.encode(data, 'base64'), E'+/=\n', '-_')
$$;

create function url_decode(data text) returns bytea language sql immutable as $$
  select pg_catalog.decode(
    pg_catalog.rpad(pg_catalog.translate(data, '-_', '+/'), (pg_catalog.length(data) + 3) / 4 * 4, '='), 'base64'
  )
$$;

create function algorithm_sign(signables text, secret text, algorithm text) returns text language sql immutable as $$
  select @extschema@.url_encode(@extschema:pgcrypto@.hmac(
    signables,
    secret,
    case algorithm when 'HS256' then 'sha256' when 'HS384' then 'sha384' when 'HS512' then 'sha512' else '' end
  ))
$$;

create function sign(payload json, secret text, algorithm text default 'HS256') returns text
language sql immutable as $$
  with message as (
    select @extschema@.url_encode(pg_catalog.convert_to('{"alg":"' || algorithm || '","typ":"JWT"}', 'utf8')) || '.'
      || @extschema@.url_encode(pg_catalog.convert_to(payload::text, 'utf8')) as signables
  )
  select signables || '.' || @extschema@.algorithm_sign(signables, secret, algorithm) from message
$$;

create function try_cast_double(inp text) returns double precision language plpgsql immutable as $$
begin
  return inp::double precision;
exception when others then
  return null;
end
$$;

create function verify(token text, secret text, algorithm text default 'HS256')
returns table (header json, payload json, valid boolean) language sql stable as $$
  with parts as (select pg_catalog.string_to_array(token, '.') as part),
  read as (
    select
      pg_catalog.convert_from(@extschema@.url_decode(part[1]), 'utf8')::json as header,
      pg_catalog.convert_from(@extschema@.url_decode(part[2]), 'utf8')::json as payload,
      part[3] = @extschema@.algorithm_sign(part[1] || '.' || part[2], secret, algorithm) as signed
    from parts
  )
  select header, payload, signed and pg_catalog.tstzrange(
    pg_catalog.to_timestamp(@extschema@.try_cast_double(payload ->> 'nbf')),
    pg_catalog.to_timestamp(@extschema@.try_cast_double(payload ->> 'exp'))
  ) @> current_timestamp
  from read
$$;
