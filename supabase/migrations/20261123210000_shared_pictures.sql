/* The pictures of a note behind a share link, as paths in the bucket `pictures`, for the function that signs addresses for them.
   Only those among `names` that the current text names: what earlier versions had is not shared. */
create function public.find_shared_pictures(token text, names text[]) returns setof text
  language sql stable security definer set search_path = ''
as $$
  select found.path
  from public.share_links s
  join public.documents d on d.id = s.document_id and d.deleted_at is null
  join public.libraries l on l.id = s.library_id and not l.require_second_factor
  join public.versions v on v.id = d.current_version_id
  cross join unnest(find_shared_pictures.names) as wanted (name)
  cross join lateral (values (d.library_id || '/' || d.id || '/' || wanted.name)) as found (path)
  where s.token_hash = private.hash_token(find_shared_pictures.token) and s.revoked_at is null
    and (s.expires_at is null or s.expires_at > now())
    and private.document_of_picture(found.path) = d.id and position('pictures/' || wanted.name in v.body) > 0
$$;
grant execute on function public.find_shared_pictures to service_role;
