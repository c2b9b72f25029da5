-- The activity tells what people did; the audit log also what the program did, and names comments by their documents
/* As before. A document that is given the title it holds, a link that is fetched again, and what leaves the trash after its time were
   changed by nobody: members are not told of them as news. */
create or replace function private.record(library uuid, verb text, document uuid, subject jsonb) returns void
  language sql security definer set search_path = ''
as $$
  -- When a library is deleted its rows go one after the other: there is nothing left to record them in.
  insert into public.activity (library_id, actor_id, verb, document_id, subject, is_audit_only)
    select library, (select p.id from public.profiles p where p.id = auth.uid()), verb, document, subject,
      auth.uid() is null and verb in ('document.renamed', 'document.revised', 'document.deleted')
    where exists (select from public.libraries l where l.id = library) and private.running_rule() is null
$$;

create function private.comment_subject(comment public.comments) returns jsonb
  language sql stable set search_path = ''
as $$
  select jsonb_build_object('comment', comment.id, 'title', (select d.title from public.documents d where d.id = comment.document_id))
$$;

create or replace function private.record_comment() returns trigger
  language plpgsql security definer set search_path = ''
as $$
begin
  if tg_op = 'INSERT' then
    perform private.record(new.library_id, 'comment.added', new.document_id, private.comment_subject(new));
  elsif new.resolved_at is not null and old.resolved_at is null then
    perform private.record(new.library_id, 'comment.resolved', new.document_id, private.comment_subject(new));
  end if;
  return null;
end
$$;

create or replace function private.record_comment_change() returns trigger
  language plpgsql security definer set search_path = ''
as $$
begin
  if tg_op = 'UPDATE' then
    perform private.record_audit(new.library_id, 'comment.reopened', new.document_id, private.comment_subject(new));
  -- A document that is deleted takes its comments with it.
  elsif exists (select from public.documents d where d.id = old.document_id) then
    perform private.record_audit(old.library_id, 'comment.deleted', old.document_id,
      private.comment_subject(old) || jsonb_build_object('author', old.created_by));
  end if;
  return null;
end
$$;
