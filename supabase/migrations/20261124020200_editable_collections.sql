-- The collections of a library that are granted to the caller to edit, with those inside them: what screens offer is what policies allow
create function public.editable_collections(library uuid) returns setof uuid
  language sql stable set search_path = ''
as $$
  select c.id from public.collections c
  where c.library_id = editable_collections.library and c.id in (select private.granted_collections('editor'))
$$;
grant execute on function public.editable_collections to authenticated;
