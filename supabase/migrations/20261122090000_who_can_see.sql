/* Who can see a document, and why: `through` is null for a member of the whole library, or else the collection that was
   granted. Under the caller's own rights: members learn of everybody, a guest of themselves. */
create function public.document_audience(document uuid)
  returns table (user_id uuid, display_name text, avatar_path text, role public.member_role, through text)
  language sql stable set search_path = ''
as $$
  with recursive target as (
    select d.library_id, d.collection_id from public.documents d where d.id = document
  ), above (id, parent_id, name) as (
    select c.id, c.parent_id, c.name from public.collections c join target t on t.collection_id = c.id
    union
    select c.id, c.parent_id, c.name from public.collections c join above a on a.parent_id = c.id
  ), seers as (
    select m.user_id, m.role, null::text as through
    from public.members m join target t on t.library_id = m.library_id where m.role >= 'reader'
    union all
    select g.user_id, g.role, a.name from public.collection_grants g join above a on a.id = g.collection_id
  ), strongest as (
    select distinct on (s.user_id) s.user_id, s.role, s.through from seers s order by s.user_id, s.role desc, s.through nulls first
  )
  select s.user_id, p.display_name, p.avatar_path, s.role, s.through
  from strongest s join public.profiles p on p.id = s.user_id
  order by s.through nulls first, s.role desc, p.display_name
$$;
grant execute on function public.document_audience to authenticated;
