-- Vault's table, view and functions. Secrets are encrypted with AES-256 and authenticated with HMAC-SHA-256. Their keys
-- are derived from one in a file of the data directory, never in a table: no dump and no query shows it.
-- Facts: supabase/vault, sql/.

create function vault._key() returns bytea language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  -- Relative to the data directory.
  path constant text := 'undock_vault.key';
  kept text := pg_catalog.pg_read_file(path, 0, 64, true);
begin
  if kept is null then
    -- Built-in functions only, which can't be replaced: pgcrypto belongs to the project.
    execute pg_catalog.format(
      'copy (select pg_catalog.encode(pg_catalog.sha256(pg_catalog.convert_to(%L, ''utf8'')), ''hex'')) to %L',
      gen_random_uuid()::text || gen_random_uuid()::text || gen_random_uuid()::text,
      pg_catalog.current_setting('data_directory') || '/' || path
    );
    kept := pg_catalog.pg_read_file(path, 0, 64, false);
  end if;
  return pg_catalog.decode(kept, 'hex');
end
$$;

create function vault._part(purpose text) returns bytea
language sql security definer set search_path = pg_catalog, pg_temp as $$
  select pg_catalog.sha256(vault._key() || pg_catalog.convert_to(purpose, 'utf8'))
$$;

-- The functions called below receive derived keys, so they must be pgcrypto's own, not others on the search path.
create function vault._demand_pgcrypto() returns void language plpgsql set search_path = pg_catalog, pg_temp as $$
begin
  if exists (
    select from pg_proc p join pg_language l on l.oid = p.prolang
    where l.lanname <> 'c' and p.oid in (
      '@extschema:pgcrypto@.gen_random_bytes(integer)'::regprocedure,
      '@extschema:pgcrypto@.hmac(bytea, bytea, text)'::regprocedure,
      '@extschema:pgcrypto@.encrypt_iv(bytea, bytea, bytea, text)'::regprocedure,
      '@extschema:pgcrypto@.decrypt_iv(bytea, bytea, bytea, text)'::regprocedure
    )
  ) then
    raise exception 'vault: a function of pgcrypto was replaced' using hint = 'Create the extension pgcrypto again.';
  end if;
end
$$;

create function vault._crypto_aead_det_noncegen() returns bytea
language sql volatile set search_path = pg_catalog, pg_temp as $$ select @extschema:pgcrypto@.gen_random_bytes(16) $$;

create function vault._crypto_aead_det_encrypt(
  message bytea, additional bytea, key_id bigint, context bytea default 'pgsodium', nonce bytea default null
) returns bytea language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  initial bytea;
  hidden bytea;
begin
  perform vault._demand_pgcrypto();
  initial := substr(coalesce(nonce, @extschema:pgcrypto@.gen_random_bytes(16)), 1, 16);
  hidden := initial
    || @extschema:pgcrypto@.encrypt_iv(message, vault._part('encryption'::text), initial, 'aes-cbc/pad:pkcs'::text);
  return hidden || @extschema:pgcrypto@.hmac(hidden || additional, vault._part('authentication'::text), 'sha256'::text);
end
$$;

create function vault._crypto_aead_det_decrypt(
  message bytea, additional bytea, key_id bigint, context bytea default 'pgsodium', nonce bytea default null
) returns bytea language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  hidden bytea := substr(message, 1, greatest(length(message) - 32, 0));
begin
  perform vault._demand_pgcrypto();
  if length(message) < 48
    or @extschema:pgcrypto@.hmac(hidden || additional, vault._part('authentication'::text), 'sha256'::text)
      <> substr(message, length(message) - 31)
  then
    raise exception 'vault: crypto_aead_det_decrypt: invalid ciphertext' using
      hint = 'The secret was encrypted with another key, or not at all: use vault.create_secret and vault.update_secret.';
  end if;
  return @extschema:pgcrypto@.decrypt_iv(
    substr(hidden, 17), vault._part('encryption'::text), substr(hidden, 1, 16), 'aes-cbc/pad:pkcs'::text);
end
$$;

create table vault.secrets (
  id uuid primary key default gen_random_uuid(),
  name text,
  description text not null default '',
  secret text not null,
  key_id uuid,
  nonce bytea default vault._crypto_aead_det_noncegen(),
  created_at timestamptz not null default current_timestamp,
  updated_at timestamptz not null default current_timestamp
);
comment on table vault.secrets is 'Table with encrypted `secret` column for storing sensitive information on disk.';
create unique index on vault.secrets using btree (name) where name is not null;

-- Older projects write to the table directly and expect it to encrypt.
create function vault._encrypt_secret() returns trigger language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  if tg_op = 'UPDATE' and new.id <> old.id then
    raise exception 'the id of a secret cannot be changed';
  end if;
  if tg_op = 'INSERT' or new.secret is distinct from old.secret then
    new.secret := pg_catalog.translate(pg_catalog.encode(
      vault._crypto_aead_det_encrypt(
        pg_catalog.convert_to(new.secret, 'utf8'), pg_catalog.convert_to(new.id::text, 'utf8'), 0, 'pgsodium', new.nonce
      ), 'base64'), E'\n', '');
  end if;
  return new;
end
$$;
create trigger secrets_encrypt_secret before insert or update on vault.secrets
  for each row execute function vault._encrypt_secret();

create view vault.decrypted_secrets as
select
  id, name, description, secret,
  convert_from(
    vault._crypto_aead_det_decrypt(decode(secret, 'base64'), convert_to(id::text, 'utf8'), 0, 'pgsodium', nonce), 'utf8'
  ) as decrypted_secret,
  key_id, nonce, created_at, updated_at
from vault.secrets;

create function vault.create_secret(
  new_secret text, new_name text default null, new_description text default '', new_key_id uuid default null
) returns uuid language sql set search_path = '' as $$
  insert into vault.secrets (secret, name, description, key_id) values ($1, $2, $3, $4) returning id
$$;

create function vault.update_secret(
  secret_id uuid,
  new_secret text default null,
  new_name text default null,
  new_description text default null,
  new_key_id uuid default null
) returns void language sql set search_path = '' as $$
  update vault.secrets set
    secret = coalesce(new_secret, secret),
    name = coalesce(new_name, name),
    description = coalesce(new_description, description),
    key_id = coalesce(new_key_id, key_id),
    updated_at = now()
  where id = secret_id
$$;

revoke all on schema vault from public;
revoke all on all functions in schema vault from public;
revoke all on all tables in schema vault from public;
grant usage on schema vault to postgres with grant option;
grant select, delete, insert, update, truncate, references on vault.secrets to postgres with grant option;
grant select, delete on vault.decrypted_secrets to postgres with grant option;
grant execute on function
  vault.create_secret(text, text, text, uuid),
  vault.update_secret(uuid, text, text, text, uuid),
  vault._crypto_aead_det_decrypt(bytea, bytea, bigint, bytea, bytea),
  vault._crypto_aead_det_noncegen()
  to postgres with grant option;
grant usage on schema vault to service_role;
grant select, delete on vault.secrets, vault.decrypted_secrets to service_role;
grant execute on function
  vault.create_secret(text, text, text, uuid),
  vault.update_secret(uuid, text, text, text, uuid),
  vault._crypto_aead_det_decrypt(bytea, bytea, bigint, bytea, bytea)
  to service_role;

-- The project may replace pgcrypto, so functions that call it run as a role that can only read the key.
grant usage on schema vault, @extschema:pgcrypto@ to undock_vault;
grant execute on function vault._key(), vault._demand_pgcrypto() to undock_vault;
alter function vault._part(text) owner to undock_vault;
alter function vault._crypto_aead_det_encrypt(bytea, bytea, bigint, bytea, bytea) owner to undock_vault;
alter function vault._crypto_aead_det_decrypt(bytea, bytea, bigint, bytea, bytea) owner to undock_vault;
alter function vault._encrypt_secret() owner to undock_vault;
