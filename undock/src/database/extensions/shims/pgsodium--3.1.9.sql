-- The parts of pgsodium that work without libsodium: roles, the table of keys, random numbers and SHA-2. The ciphers
-- exist by name and raise errors. Facts: michelp/pgsodium, sql/.

do $$
declare
  name text;
begin
  foreach name in array array['pgsodium_keyiduser', 'pgsodium_keyholder', 'pgsodium_keymaker'] loop
    if to_regrole(name) is null then execute pg_catalog.format('create role %I', name); end if;
  end loop;
end
$$;
grant pgsodium_keyholder to pgsodium_keymaker;
grant pgsodium_keyiduser to pgsodium_keyholder;
grant pgsodium_keyiduser, pgsodium_keyholder, pgsodium_keymaker to postgres with admin option;
grant pgsodium_keyholder to service_role;

create type pgsodium.key_status as enum ('default', 'valid', 'invalid', 'expired');
create type pgsodium.key_type as enum (
  'aead-ietf', 'aead-det', 'hmacsha512', 'hmacsha256', 'auth', 'shorthash', 'generichash', 'kdf', 'secretbox',
  'secretstream', 'stream_xchacha20'
);

create sequence pgsodium.key_key_id_seq;
create table pgsodium.key (
  id uuid primary key default gen_random_uuid(),
  status pgsodium.key_status default 'valid',
  created timestamptz not null default current_timestamp,
  expires timestamptz,
  key_type pgsodium.key_type,
  key_id bigint default nextval('pgsodium.key_key_id_seq'),
  key_context bytea default '\x7067736f6469756d' check (length(key_context) = 8),
  name text unique,
  associated_data text default 'associated',
  raw_key bytea,
  raw_key_nonce bytea,
  parent_key uuid references pgsodium.key (id),
  comment text,
  user_data text
);
create view pgsodium.valid_key as
select id, name, status, key_type, key_id, key_context, created, expires, associated_data
from pgsodium.key
where status in ('valid', 'default') and (expires is null or expires > now());

create function pgsodium.create_key(
  key_type pgsodium.key_type default 'aead-det',
  name text default null,
  raw_key bytea default null,
  raw_key_nonce bytea default null,
  parent_key uuid default null,
  key_context bytea default '\x7067736f6469756d',
  expires timestamptz default null,
  associated_data text default ''
) returns pgsodium.valid_key language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  made uuid;
  answer pgsodium.valid_key;
begin
  insert into pgsodium.key (key_type, name, raw_key, raw_key_nonce, parent_key, key_context, expires, associated_data)
  values ($1, $2, $3, $4, $5, $6, $7, $8)
  returning id into made;
  select * into answer from pgsodium.valid_key v where v.id = made;
  return answer;
end
$$;

create function pgsodium.get_key_by_id(uuid) returns pgsodium.valid_key language sql stable as $$
  select * from pgsodium.valid_key where id = $1
$$;
create function pgsodium.get_key_by_name(text) returns pgsodium.valid_key language sql stable as $$
  select * from pgsodium.valid_key where name = $1
$$;

create function pgsodium.randombytes_buf(size integer) returns bytea
language sql volatile set search_path = @extschema:pgcrypto@ as $$ select gen_random_bytes(size) $$;
create function pgsodium.randombytes_random() returns integer
language sql volatile set search_path = @extschema:pgcrypto@ as $$
  select ('x' || encode(gen_random_bytes(4), 'hex'))::bit(32)::integer
$$;
create function pgsodium.randombytes_uniform(upper_bound integer) returns integer
language sql volatile set search_path = @extschema:pgcrypto@ as $$
  select (('x' || encode(gen_random_bytes(8), 'hex'))::bit(64)::bigint & 9223372036854775807) % upper_bound
$$;
create function pgsodium.crypto_aead_det_keygen() returns bytea language sql volatile as 'select pgsodium.randombytes_buf(32)';
create function pgsodium.crypto_aead_det_noncegen() returns bytea language sql volatile as 'select pgsodium.randombytes_buf(16)';
create function pgsodium.crypto_secretbox_keygen() returns bytea language sql volatile as 'select pgsodium.randombytes_buf(32)';
create function pgsodium.crypto_secretbox_noncegen() returns bytea language sql volatile as 'select pgsodium.randombytes_buf(24)';
create function pgsodium.crypto_hash_sha256(message bytea) returns bytea language sql immutable as 'select sha256(message)';
create function pgsodium.crypto_hash_sha512(message bytea) returns bytea language sql immutable as 'select sha512(message)';

create function pgsodium._cannot(name text) returns void language plpgsql as $$
begin
  raise exception 'pgsodium.% cannot run in undock: libsodium is not built for its engine', name using
    errcode = '0A000',
    hint = 'Use Vault (vault.create_secret) for secrets, or pgcrypto.';
end
$$;

do $$
declare
  cipher record;
begin
  for cipher in select * from (values
    ('crypto_aead_det_encrypt', 'message bytea, additional bytea, key_uuid uuid', 'bytea'),
    ('crypto_aead_det_encrypt', 'message bytea, additional bytea, key_uuid uuid, nonce bytea', 'bytea'),
    ('crypto_aead_det_encrypt', 'message bytea, additional bytea, key bytea, nonce bytea default null', 'bytea'),
    ('crypto_aead_det_decrypt', 'message bytea, additional bytea, key_uuid uuid', 'bytea'),
    ('crypto_aead_det_decrypt', 'message bytea, additional bytea, key_uuid uuid, nonce bytea', 'bytea'),
    ('crypto_aead_det_decrypt', 'message bytea, additional bytea, key bytea, nonce bytea default null', 'bytea'),
    ('crypto_secretbox', 'message bytea, nonce bytea, key bytea', 'bytea'),
    ('crypto_secretbox_open', 'ciphertext bytea, nonce bytea, key bytea', 'bytea'),
    ('derive_key', 'key_id bigint, key_len integer default 32, context bytea default ''pgsodium''', 'bytea')
  ) as names (name, arguments, answer)
  loop
    execute pg_catalog.format(
      'create function pgsodium.%1$I(%2$s) returns %3$s language plpgsql as $f$ begin perform pgsodium._cannot(%1$L); end $f$',
      cipher.name, cipher.arguments, cipher.answer
    );
  end loop;
end
$$;

grant usage on schema pgsodium to postgres with grant option;
grant usage on schema pgsodium to pgsodium_keyiduser, service_role;
grant all on all tables in schema pgsodium to postgres with grant option;
-- pgsodium.create_key writes this table as a superuser.
revoke trigger on all tables in schema pgsodium from postgres;
grant all on all sequences in schema pgsodium to postgres with grant option;
grant select on pgsodium.valid_key to pgsodium_keyiduser;
grant execute on all functions in schema pgsodium to postgres with grant option;
