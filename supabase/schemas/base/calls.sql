-- Calls of edge functions from the database.

/* Returns the base URL of the functions: `project_url` in the vault (docs/hosted.md), or else the API's host name in local development. */
create function private.functions_url() returns text
  language plpgsql stable set search_path = ''
as $$
declare
  url text;
begin
  if to_regclass('vault.decrypted_secrets') is not null then
    execute 'select decrypted_secret from vault.decrypted_secrets where name = $1' into url using 'project_url';
  end if;
  return rtrim(coalesce(url, 'http://kong:8000'), '/') || '/functions/v1/';
end
$$;

/* Calls the edge function tg_argv[0] if it has work.
   Why a definer: it runs at the commit of a user, who can't read the queues or send requests. */
create function private.call_at_commit() returns trigger
  language plpgsql security definer set search_path = ''
as $$
begin
  case tg_argv[0]
    when 'ingest' then perform private.call_indexer();
    when 'deliver-webhooks' then perform private.call_webhooks();
    when 'notify' then perform private.call_mailer();
  end case;
  return null;
end
$$;
