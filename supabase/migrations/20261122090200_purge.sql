-- What is gone for good: documents thirty days in the trash, and files that nothing refers to any more
create function public.purge_trash() returns integer
  language sql security definer set search_path = ''
as $$
  with purged as (
    delete from public.documents where deleted_at < now() - interval '30 days' returning 1
  )
  select count(*)::integer from purged
$$;

/* Stored files that no version and no profile names, at most `max_results` of them: of purged documents, deleted libraries and
   accounts, and uploads that were given up. A day old at least, because an upload is registered only once it is complete. The
   files themselves are the storage service's to remove. */
create function public.unreferenced_files(max_results integer default 500) returns table (bucket text, path text)
  language sql stable security definer set search_path = ''
as $$
  select o.bucket_id, o.name from storage.objects o
  where o.created_at < now() - interval '1 day' and (
    (o.bucket_id = 'documents' and not exists (select from public.versions v where v.storage_path = o.name)
      and not exists (select from public.versions v where v.rendition_path = o.name))
    or (o.bucket_id = 'avatars' and not exists (select from public.profiles p where p.avatar_path = o.name))
  )
  limit max_results
$$;
grant execute on function public.purge_trash, public.unreferenced_files to service_role;

/* Every night. Rows go here; for the files the function `purge` is called, whose address and key wait in the vault under
   `project_url` and `purge_key` (docs/hosted.md). Where the platform has no scheduler, call `purge` from one elsewhere. */
create function private.purge_nightly() returns void
  language plpgsql security definer set search_path = ''
as $$
declare
  url text;
  key text;
begin
  perform public.purge_trash();
  if to_regnamespace('net') is null or to_regclass('vault.decrypted_secrets') is null then return; end if;
  execute 'select decrypted_secret from vault.decrypted_secrets where name = $1' into url using 'project_url';
  execute 'select decrypted_secret from vault.decrypted_secrets where name = $1' into key using 'purge_key';
  if url is null or key is null then return; end if;
  execute 'select net.http_post(url => $1, headers => $2, body => ''{}''::jsonb)'
    using url || '/functions/v1/purge', jsonb_build_object('apikey', key, 'content-type', 'application/json');
end
$$;

do $$
begin
  if exists (select from pg_available_extensions where name = 'pg_cron') then
    create extension if not exists pg_cron;
    perform cron.schedule('purge', '17 3 * * *', 'select private.purge_nightly()');
  end if;
end
$$;
