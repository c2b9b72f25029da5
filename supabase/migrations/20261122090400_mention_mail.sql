-- Who is called in a comment hears of it by mail, unless they would rather not
alter table public.profiles add column mentions_by_mail boolean not null default true;
grant update (mentions_by_mail) on public.profiles to authenticated;
alter table public.mentions add column mailed_at timestamptz;

/* Takes the mails that a comment of this author still owes: each is given out once, to people who may see the document now and
   want mail, sixty an hour at most for one author. Whoever takes them sends them, and gives back what could not be sent.
   In a library that requires a second factor nothing of the comment, its document or its library is told: a mailbox has only one. */
create function public.take_mention_mails(comment uuid, author uuid)
  returns table (user_id uuid, email text, library_id uuid, document_id uuid, author_name text, library_name text, title text, body text)
  language plpgsql security definer set search_path = ''
as $$
#variable_conflict use_column
declare
  left_over integer;
begin
  -- One at a time for an author: two that count at once would both find room.
  perform from public.profiles p where p.id = author for no key update;
  select 60 - count(*) into left_over from public.mentions m join public.comments c on c.id = m.comment_id
    where c.created_by = author and m.mailed_at > now() - interval '1 hour';
  return query
  with owed as (
    select m.comment_id, m.user_id from public.mentions m
    join public.comments c on c.id = m.comment_id and c.created_by = author
    join public.profiles p on p.id = m.user_id and p.mentions_by_mail
    join auth.users u on u.id = m.user_id and u.email_confirmed_at is not null
    join public.documents d on d.id = m.document_id and d.deleted_at is null
    where m.comment_id = comment and m.mailed_at is null
      and m.user_id in (select a.user_id from public.document_audience(m.document_id) a)
    order by m.user_id limit greatest(left_over, 0)
  ), taken as (
    update public.mentions m set mailed_at = now() from owed
    where m.comment_id = owed.comment_id and m.user_id = owed.user_id
    returning m.*
  )
  select t.user_id, u.email::text, t.library_id, t.document_id, a.display_name,
    case when l.require_second_factor then null else l.name end,
    case when l.require_second_factor then null else d.title end,
    case when l.require_second_factor then null else c.body end
  from taken t
  join auth.users u on u.id = t.user_id
  join public.comments c on c.id = t.comment_id
  join public.documents d on d.id = t.document_id
  join public.libraries l on l.id = t.library_id
  join public.profiles a on a.id = author;
end
$$;
create function public.give_back_mention_mails(comment uuid, people uuid[]) returns void
  language sql security definer set search_path = ''
as $$
  update public.mentions m set mailed_at = null where m.comment_id = comment and m.user_id = any (people)
$$;
-- Who the caller is, if the comment is theirs.
create function public.author_of(comment uuid) returns uuid
  language sql stable set search_path = ''
as $$ select c.created_by from public.comments c where c.id = comment and c.created_by = (select auth.uid()) $$;
grant execute on function public.author_of to authenticated;
grant execute on function public.take_mention_mails, public.give_back_mention_mails to service_role;
