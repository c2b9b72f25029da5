-- A mention `@[Name](id)` may be of a group: each of its members is told
/* The members of a library whom a text mentions, themselves or by a group that they are in. */
create function private.mentioned_members(library uuid, body text) returns setof uuid
  language sql stable set search_path = '' rows 5
as $$
  with mentioned (id) as materialized (select private.mentioned_people(body))
  select m.user_id from mentioned n join public.members m on m.library_id = library and m.user_id = n.id
  union
  select g.user_id from mentioned n join public.group_members g on g.library_id = library and g.group_id = n.id
$$;

create or replace function private.notify_of_comment() returns trigger
  language plpgsql security definer set search_path = ''
as $$
begin
  insert into public.notifications (user_id, kind, library_id, document_id, comment_id, actor_id)
    select mentioned, 'mention', new.library_id, new.document_id, new.id, new.created_by
    from private.mentioned_members(new.library_id, new.body) mentioned
    where mentioned is distinct from new.created_by
  on conflict do nothing;
  if tg_op = 'INSERT' and new.parent_id is not null then
    insert into public.notifications (user_id, kind, library_id, document_id, comment_id, actor_id)
      select distinct m.user_id, 'reply'::public.notification_kind, new.library_id, new.document_id, new.id, new.created_by
      from public.comments c
      join public.members m on m.library_id = new.library_id and m.user_id = c.created_by
      where (c.id = new.parent_id or c.parent_id = new.parent_id) and c.created_by is distinct from new.created_by
    on conflict do nothing;
  end if;
  return null;
end
$$;

create or replace function private.notify_of_note() returns trigger
  language plpgsql security definer set search_path = ''
as $$
declare
  author uuid := new.created_by;
begin
  if position('@[' in new.body) = 0 then return null; end if;
  if (select count(distinct u.created_by) from public.note_updates u where u.document_id = new.document_id) > 1 then
    author := null;
  end if;
  with told as (
    insert into private.note_mentions (document_id, user_id)
      select new.document_id, mentioned from private.mentioned_members(new.library_id, new.body) mentioned
    on conflict do nothing
    returning note_mentions.user_id
  )
  insert into public.notifications (user_id, kind, library_id, document_id, actor_id)
    select told.user_id, 'mention', new.library_id, new.document_id, author from told where told.user_id is distinct from author;
  return null;
end
$$;
