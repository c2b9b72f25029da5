-- The log of a library, written by triggers and immutable. Members see the activity.

create table public.activity (
  id bigint generated always as identity primary key,
  library_id uuid not null references public.libraries on delete cascade,
  actor_id uuid references public.profiles on delete set null,
  verb text not null check (verb ~ '^[a-z]+\.[a-z_]+$'),
  document_id uuid references public.documents on delete set null,
  subject jsonb not null default '{}', -- names at that time: a title, a member's name and roles
  -- Copies of the references, which become null when the account or document is deleted.
  kept_actor_id uuid,
  kept_document_id uuid,
  -- Shown only in the audit log, not in the activity.
  is_audit_only boolean not null default false,
  created_at timestamptz not null default now()
);

create index activity_document_id_idx on public.activity (document_id);
create index activity_actor_id_idx on public.activity (actor_id);
create index activity_kept_actor_id_idx on public.activity (library_id, kept_actor_id);
create index activity_library_id_idx on public.activity (library_id, created_at, id);

grant select on public.activity to authenticated;
revoke insert, update, delete, truncate on public.activity from service_role;

create policy "only owners see what happened to keys" on public.activity as restrictive for select to authenticated
  using (verb !~ '^key\.' or library_id in (select private.library_ids('owner')));
-- Entries about a document are as visible as it is; those about a permanently deleted one are visible to editors.
create policy "members see what happened" on public.activity for select to authenticated
  using (
    library_id in (select private.library_ids()) and not is_audit_only
    and (verb !~ '^(invitation|share|grant|request)\.' or library_id in (select private.library_ids('owner')))
    -- Other people see changes once they are approved.
    and (verb !~ '^change\.' or library_id in (select private.library_ids('editor')))
    and (
      (document_id is null and verb !~ '^(document|comment)\.')
      or library_id in (select private.library_ids('editor'))
      or exists (select from public.documents d where d.id = document_id)
    )
  );

/* A rule's run is one entry (store_rule_run). Changes without an author aren't news: titles found in files, refetched links, purged trash.
   plpgsql, because plans of SQL functions aren't kept from one row's trigger to the next. */
create function private.record(library uuid, verb text, document uuid, subject jsonb) returns void
  language plpgsql set search_path = ''
as $$
begin
  -- When a library is deleted, its rows follow one by one, without a library to log to.
  insert into public.activity (library_id, actor_id, verb, document_id, subject, is_audit_only)
    select library, (select p.id from public.profiles p where p.id = auth.uid()), record.verb, document, record.subject,
      auth.uid() is null and record.verb in ('document.renamed', 'document.revised', 'document.deleted')
    where exists (select from public.libraries l where l.id = library) and private.running_rule() is null;
end
$$;

-- Activity also shows what rules move, changes of rules, and holds with their reasons.
create function private.record_document_change(old public.documents, new public.documents) returns void
  language plpgsql set search_path = ''
as $$
declare
  subject constant jsonb := jsonb_build_object('title', new.title, 'kind', new.kind);
  rule constant uuid := nullif(current_setting('carrel.retention_rule', true), '');
begin
  -- A title that follows the text is part of the version.
  if new.title <> old.title and (new.kind <> 'note' or new.current_version_id is not distinct from old.current_version_id) then
    perform private.record(new.library_id, 'document.renamed', new.id, subject || jsonb_build_object('from', old.title));
  end if;
  if new.collection_id is distinct from old.collection_id then
    perform private.record(new.library_id, 'document.moved', new.id, subject || jsonb_build_object(
      'collection', (select c.name from public.collections c where c.id = new.collection_id),
      'from', (select c.name from public.collections c where c.id = old.collection_id)));
  end if;
  if new.deleted_at is null and old.deleted_at is not null then
    perform private.record(new.library_id, 'document.restored', new.id, subject);
  elsif new.deleted_at is not null and old.deleted_at is null then
    perform private.record(new.library_id, 'document.trashed', new.id,
      subject || case when rule is null then '{}' else jsonb_build_object('rule', rule) end);
  end if;
  if old.current_version_id is not null and new.current_version_id <> old.current_version_id then
    perform private.record(new.library_id, case when new.kind = 'note' and not exists (
      select from public.versions v
      where v.document_id = new.id and v.id <> new.current_version_id and v.is_published and not private.is_blank_text(v.content_hash))
      then 'document.added' else 'document.revised' end, new.id, subject || private.approval_subject(old, new));
  end if;
end
$$;

-- For share links and file requests. Why a definer: users can't write the log.
create function private.record_link() returns trigger
  language plpgsql security definer set search_path = ''
as $$
declare
  present constant jsonb := to_jsonb(new);
  before constant jsonb := case when tg_op = 'UPDATE' then to_jsonb(old) end;
  document constant uuid := present ->> 'document_id';
  subject jsonb;
begin
  if tg_table_name = 'share_links' then
    subject := jsonb_build_object('title', (select d.title from public.documents d where d.id = document), 'expires_at', present -> 'expires_at');
  else
    select jsonb_build_object('id', r.id, 'request', r.title, 'expires_at', r.expires_at,
        'collection', (select c.name from public.collections c where c.id = r.collection_id)) into subject
      from public.file_requests r where r.id = coalesce(present ->> 'request_id', present ->> 'id')::uuid;
  end if;
  if tg_table_name = 'received_files' then
    if new.state = 'taken' and old.state <> 'taken' then
      perform private.record(new.library_id, 'request.file_taken', document,
        subject - 'expires_at' || jsonb_build_object('title', present -> 'title', 'sender', present -> 'sender_name'));
    end if;
  elsif tg_op = 'INSERT' then
    perform private.record(new.library_id, tg_argv[0] || '.created', document, subject);
  elsif before ->> tg_argv[2] is null and present ->> tg_argv[2] is not null then
    perform private.record(new.library_id, tg_argv[0] || '.' || tg_argv[1], document, subject);
  elsif present ->> 'token_hash' <> before ->> 'token_hash' then
    perform private.record_audit(new.library_id, tg_argv[0] || '.replaced', document, subject);
  end if;
  return null;
end
$$;
create trigger record_link after insert or update of revoked_at on public.share_links
  for each row execute function private.record_link('share', 'revoked', 'revoked_at');
create trigger record_link after insert or update of closed_at, token_hash on public.file_requests
  for each row execute function private.record_link('request', 'closed', 'closed_at');
create trigger record_link after update of state on public.received_files
  for each row execute function private.record_link('request');

create function private.record_library_change(old public.libraries, new public.libraries) returns void
  language plpgsql set search_path = ''
as $$
declare
  changed jsonb;
begin
  if new.name <> old.name then
    perform private.record(new.id, 'library.renamed', null, jsonb_build_object('name', new.name, 'from', old.name));
  end if;
  if new.require_second_factor <> old.require_second_factor then
    perform private.record(new.id, case when new.require_second_factor then 'library.locked' else 'library.unlocked' end, null, '{}');
  end if;
  -- Settings without an entry type of their own: changed names with old and new values.
  select jsonb_object_agg(n.key, jsonb_build_object('from', o.value, 'to', n.value)) into changed
    from jsonb_each(to_jsonb(new)) n join jsonb_each(to_jsonb(old)) o on o.key = n.key
    where n.value <> o.value and n.key not in ('name', 'require_second_factor', 'updated_at', 'created_by');
  if changed is not null then
    perform private.record_audit(new.id, 'library.changed', null, jsonb_build_object('changed', changed));
  end if;
end
$$;

-- Up to when a person has seen the activity.
create table public.activity_marks (
  library_id uuid not null references public.libraries on delete cascade,
  user_id uuid not null default auth.uid() references public.profiles on delete cascade,
  seen bigint not null,
  primary key (user_id, library_id)
);

create index activity_marks_library_id_idx on public.activity_marks (library_id);

grant select, delete, insert (library_id, seen), update (seen) on public.activity_marks to authenticated;

create policy "members keep their own marks" on public.activity_marks for all to authenticated
  using (user_id = (select auth.uid()) and library_id in (select private.library_ids()))
  with check (user_id = (select auth.uid()) and library_id in (select private.library_ids()));

create function public.mark_activity_seen(library uuid, up_to bigint) returns void
  language sql set search_path = ''
as $$
  insert into public.activity_marks (library_id, seen) values (library, up_to)
  on conflict (user_id, library_id) do update set seen = greatest(activity_marks.seen, excluded.seen)
$$;
grant execute on function public.mark_activity_seen to authenticated;

/* Counts other people's activity in each of the caller's libraries since their last visit, up to a hundred. Applies the caller's rights. */
create function public.unread_activity() returns table (library_id uuid, unread integer)
  language sql stable set search_path = ''
as $$
  select m.library_id, n.unread
  from public.members m
  left join public.activity_marks k on k.library_id = m.library_id and k.user_id = m.user_id
  cross join lateral (
    select count(*)::integer as unread from (
      select from public.activity a
      where a.library_id = m.library_id and a.id > coalesce(k.seen, 0) and a.actor_id is distinct from m.user_id
        and a.created_at >= m.joined_at
      limit 100
    ) newer
  ) n
  where m.user_id = (select auth.uid()) and n.unread > 0
$$;
grant execute on function public.unread_activity to authenticated;

create function private.guard_entries() returns trigger
  language plpgsql set search_path = ''
as $$
begin
  -- The library itself is being deleted.
  if tg_op = 'DELETE' and not exists (select from public.libraries l where l.id = old.library_id) then return old; end if;
  -- The account or document is being deleted: the reference is cleared, the content stays.
  if tg_op = 'UPDATE'
     and to_jsonb(new) - '{actor_id,document_id}'::text[] = to_jsonb(old) - '{actor_id,document_id}'::text[]
     and (new.actor_id is not distinct from old.actor_id
       or new.actor_id is null and not exists (select from public.profiles p where p.id = old.actor_id))
     and (new.document_id is not distinct from old.document_id
       or new.document_id is null and not exists (select from public.documents d where d.id = old.document_id))
  then return new; end if;
  perform private.refuse('log_is_fixed');
end
$$;
create trigger guard_entries before update or delete on public.activity
  for each row execute function private.guard_entries();

create function private.copy_references() returns trigger
  language plpgsql set search_path = ''
as $$
begin
  -- A restored dump has its own values.
  new.kept_actor_id := coalesce(new.kept_actor_id, new.actor_id);
  new.kept_document_id := coalesce(new.kept_document_id, new.document_id, (new.subject ->> 'document')::uuid);
  return new;
end
$$;
create trigger copy_references before insert on public.activity for each row execute function private.copy_references();

create function private.comment_subject(comment public.comments) returns jsonb
  language sql stable set search_path = ''
as $$
  select jsonb_build_object('comment', comment.id, 'title', (select d.title from public.documents d where d.id = comment.document_id))
$$;
