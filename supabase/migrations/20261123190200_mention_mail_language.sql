-- A mail about a mention is written in the language of whoever gets it
drop function public.take_mention_mails(uuid, uuid);
/* Takes the mails that a comment of this author still owes: each is given out once, to people who may see the document now and
   want mail, sixty an hour at most for one author. Whoever takes them sends them, and gives back what could not be sent.
   In a library that requires a second factor nothing of the comment, its document or its library is told: a mailbox has only one.
   `locale` is the language that the person has chosen. */
create function public.take_mention_mails(comment uuid, author uuid)
  returns table (user_id uuid, email text, library_id uuid, document_id uuid, author_name text, library_name text, title text, body text, locale text)
  language plpgsql security definer set search_path = ''
as $$
#variable_conflict use_column
declare
  left_over integer;
begin
  -- One at a time for an author: two that count at once would both find room.
  perform from public.profiles p where p.id = take_mention_mails.author for no key update;
  select 60 - count(*) into left_over from public.mentions m join public.comments c on c.id = m.comment_id
    where c.created_by = take_mention_mails.author and m.mailed_at > now() - interval '1 hour';
  return query
  with owed as (
    select m.comment_id, m.user_id from public.mentions m
    join public.comments c on c.id = m.comment_id and c.created_by = take_mention_mails.author
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
    case when l.require_second_factor then null else c.body end,
    coalesce(u.raw_user_meta_data ->> 'locale', 'en')
  from taken t
  join auth.users u on u.id = t.user_id
  join public.comments c on c.id = t.comment_id
  join public.documents d on d.id = t.document_id
  join public.libraries l on l.id = t.library_id
  join public.profiles a on a.id = take_mention_mails.author;
end
$$;
grant execute on function public.take_mention_mails to service_role;
