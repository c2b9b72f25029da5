-- Collections in which changes need approval. A change is an unpublished version of a note or file, the latest being
-- `documents.proposed_version_id`; everything else uses the current version. New documents and refetched links aren't changes.

create table public.collection_approvals (
  collection_id uuid primary key,
  library_id uuid not null,
  -- Approvers in addition to the library's owners, as long as they can edit the collection.
  approver_ids uuid[] not null default '{}' check (cardinality(approver_ids) <= 50 and array_position(approver_ids, null) is null),
  foreign key (collection_id, library_id) references public.collections (id, library_id) on delete cascade
);

create index collection_approvals_library_id_idx on public.collection_approvals (library_id);

grant select, delete, insert (collection_id, library_id, approver_ids), update (collection_id, library_id, approver_ids)
  on public.collection_approvals to authenticated;

create policy "members see who approves, guests where they see documents" on public.collection_approvals for select to authenticated
  using (library_id in (select private.library_ids()) or collection_id in (select private.collections_around_granted()));
create policy "owners require approval" on public.collection_approvals for insert to authenticated
  with check (library_id in (select private.library_ids('owner')));
create policy "owners change who approves" on public.collection_approvals for update to authenticated
  using (library_id in (select private.library_ids('owner'))) with check (library_id in (select private.library_ids('owner')));
create policy "owners end the approval" on public.collection_approvals for delete to authenticated
  using (library_id in (select private.library_ids('owner')));

/* Returns those of these people who can edit the collection, by role or by grants to them or their groups. */
create function private.editors_of_collection(collection uuid, people uuid[]) returns setof uuid
  language sql stable set search_path = ''
as $$
  select m.user_id from public.members m join public.collections c on c.id = collection and c.library_id = m.library_id
    where m.user_id = any (people) and m.role >= 'editor'
  union
  select g.user_id from public.collection_grants g
    where g.user_id = any (people) and g.role = 'editor' and g.collection_id in (select private.collections_around(collection))
  union
  select m.user_id from public.group_grants g join public.group_members m on m.group_id = g.group_id
    where m.user_id = any (people) and g.role = 'editor' and g.collection_id in (select private.collections_around(collection))
$$;
grant execute on function private.editors_of_collection to authenticated;

create function private.guard_approvers() returns trigger
  language plpgsql set search_path = ''
as $$
begin
  if exists (
    select unnest(new.approver_ids) except select private.editors_of_collection(new.collection_id, new.approver_ids)
    -- People who lost the right since they were named stay named.
    except select unnest(old.approver_ids)
  ) then
    perform private.refuse('approver_denied');
  end if;
  return new;
end
$$;
create trigger guard_approvers before insert or update on public.collection_approvals
  for each row execute function private.guard_approvers();

create trigger record_definition after insert or update or delete on public.collection_approvals
  for each row execute function private.record_definition('approval');

-- Touches the collection, so that the change is sent on the library's channel.
create function private.touch_approved_collection() returns trigger
  language plpgsql set search_path = ''
as $$
begin
  update public.collections c set name = c.name where c.id = coalesce(new.collection_id, old.collection_id);
  return null;
end
$$;
create trigger touch_collection after insert or update or delete on public.collection_approvals
  for each row execute function private.touch_approved_collection();

create function private.names_of(people uuid[]) returns text[]
  language sql stable set search_path = ''
as $$ select array(select p.display_name from public.profiles p where p.id = any (people) order by 1) $$;
grant execute on function private.names_of to authenticated;

/* Returns the approval requirements that apply in a collection: its own and its ancestors'. */
create function private.approvals_in(collection uuid) returns setof public.collection_approvals
  language sql stable set search_path = '' rows 1
as $$
  select a.* from public.collection_approvals a where a.collection_id in (select private.collections_around(approvals_in.collection))
$$;
grant execute on function private.approvals_in to authenticated, service_role;

/* Whether the caller may decide on changes: owners, approvers who can edit here, and all editors once approval is no longer required. */
create function private.may_approve(library uuid, collection uuid) returns boolean
  language sql stable set search_path = ''
as $$
  select library in (select private.library_ids('owner'))
    or (library in (select private.library_ids('editor')) or collection in (select private.granted_collections('editor')))
    and coalesce((select bool_or((select auth.uid()) = any (a.approver_ids)) from private.approvals_in(collection) a), true)
$$;
grant execute on function private.may_approve to authenticated;

/* Returns approval settings for the app: { own, is_required, may_approve, approvers, people }. `own`: own approvers' ids, or null;
   `approvers`: names, empty if only owners; `people`: possible approvers, [{ id, name }]. Applies the caller's rights. */
create function public.approval_in(collection uuid) returns jsonb
  language sql stable set search_path = ''
as $$
  select jsonb_build_object(
    'own', (select to_jsonb(a.approver_ids) from public.collection_approvals a where a.collection_id = c.id),
    'is_required', exists (select from private.approvals_in(c.id)),
    'may_approve', private.may_approve(c.library_id, c.id),
    'approvers', private.names_of(array(
      select private.editors_of_collection(a.collection_id, a.approver_ids) from private.approvals_in(c.id) a)),
    'people', (
      select coalesce(jsonb_agg(jsonb_build_object('id', p.id, 'name', p.display_name) order by p.display_name, p.id), '[]')
      from public.profiles p where p.id in (select private.editors_of_collection(c.id, array(
        select m.user_id from public.members m where m.library_id = c.library_id)))))
  from public.collections c where c.id = approval_in.collection
$$;
grant execute on function public.approval_in to authenticated;

/* Returns the writers of a change: a relationship that the Data API can embed. */
create function public.authors(public.versions) returns setof public.profiles
  language sql stable set search_path = '' rows 2
as $$ select p.* from public.profiles p where p.id = any ($1.writers) order by p.display_name $$;
grant execute on function public.authors to authenticated;

-- A cover is named only once; check_cover decides which picture is allowed.
create policy "editors name the cover of a current version, approvers decide about a change" on public.versions for update to authenticated
  using (
    (cover_path is null and exists (select from public.documents d
      where d.current_version_id = versions.id and d.deleted_at is null and (
        d.library_id in (select private.library_ids('editor')) or d.collection_id in (select private.granted_collections('editor')))))
    or exists (select from public.documents d
      where d.proposed_version_id = versions.id and d.deleted_at is null and private.may_approve(d.library_id, d.collection_id))
  )
  with check (cover_path is not null or exists (select from public.documents d
    where d.proposed_version_id = versions.id and d.deleted_at is null and private.may_approve(d.library_id, d.collection_id)));

/* Decides whether a new version is published or waits. An approver's changes wait too: a note saves other people's text with theirs. */
create function private.prepared_proposal(document public.documents, new public.versions) returns public.versions
  language plpgsql set search_path = ''
as $$
begin
  if document.current_version_id is null or document.kind = 'link'
    or not exists (select from private.approvals_in(document.collection_id))
  then return new; end if;
  new.is_published := false;
  new.writers := array(
    select person from public.versions v, unnest(v.writers) person where v.id = document.proposed_version_id
    union
    select unnest(private.writers_of(new)));
  return new;
end
$$;

/* Records a decision. Someone else may have decided, or saved a newer change, in the meantime. */
create function private.decided_proposal(old public.versions, new public.versions) returns public.versions
  language plpgsql set search_path = ''
as $$
begin
  if old.is_published or not exists (
    select from public.documents d
    where d.proposed_version_id = old.id and d.deleted_at is null and ((select auth.uid()) is null or private.may_approve(d.library_id, d.collection_id))
    for no key update)
  then
    perform private.refuse('approval_denied');
  end if;
  if new.is_published then new.returned_words := null; end if;
  new.decided_by := auth.uid();
  new.decided_at := now();
  return new;
end
$$;

/* Only the newest change can wait; clearing withdraws it. Moving a document out can't bypass approval, nor can changes of title and
   summary, which don't wait. A note's title follows its approved text. */
create function private.guard_approval(old public.documents, new public.documents) returns void
  language plpgsql set search_path = ''
as $$
begin
  if new.proposed_version_id is distinct from old.proposed_version_id and new.proposed_version_id is not null and not exists (
    select from public.versions v where v.id = new.proposed_version_id and v.document_id = new.id and not v.is_published
      and v.number = (select max(newest.number) from public.versions newest where newest.document_id = new.id))
  then
    perform private.refuse('approval_denied');
  end if;
  if new.collection_id is distinct from old.collection_id and (select auth.uid()) is not null
    and exists (select from public.collection_approvals a where a.library_id = old.library_id) and exists (
      select collection_id from private.approvals_in(old.collection_id) except select collection_id from private.approvals_in(new.collection_id))
    and not private.may_approve(old.library_id, old.collection_id)
  then
    perform private.refuse('approval_keeps_document', jsonb_build_object('title', old.title));
  end if;
  if (new.title, new.summary) is distinct from (old.title, old.summary) and old.current_version_id is not null
    and (select auth.uid()) is not null and exists (select from private.approvals_in(old.collection_id))
    and not private.may_approve(old.library_id, old.collection_id)
  then
    perform private.refuse('approval_keeps_title', jsonb_build_object('title', old.title));
  end if;
end
$$;

-- Editors can't bypass an owner's requirement by moving or deleting the collection.
create function private.guard_approved_collection() returns trigger
  language plpgsql set search_path = ''
as $$
begin
  if (select auth.uid()) is null or old.library_id in (select private.library_ids('owner'))
    or not exists (select from public.libraries l where l.id = old.library_id)
  then return coalesce(new, old); end if;
  if exists (
    select a.collection_id from private.approvals_in(old.id) a where a.collection_id <> old.id or tg_op = 'DELETE'
    except select a.collection_id from private.approvals_in(new.parent_id) a where tg_op = 'UPDATE'
  ) or tg_op = 'DELETE' and exists (
    select from public.collection_approvals a where a.collection_id in (select private.collections_within(old.id)))
  then
    perform private.refuse('approval_keeps_collection');
  end if;
  return coalesce(new, old);
end
$$;
grant execute on function private.collections_within to authenticated;
create trigger guard_approved_collection before delete or update of parent_id on public.collections
  for each row execute function private.guard_approved_collection();

-- The log entry of an approved change: its writers, and the versions to compare.
create function private.approval_subject(old public.documents, new public.documents) returns jsonb
  language sql stable set search_path = ''
as $$
  select coalesce((
    select jsonb_build_object('writers', private.names_of(v.writers), 'version', v.number,
      'version_from', (select b.number from public.versions b where b.id = old.current_version_id))
    from public.versions v where v.id = new.current_version_id and v.id = old.proposed_version_id), '{}')
$$;

/* Notifies about a waiting change once, and again after it was sent back. Removes notifications of one that no longer waits. */
create function private.follow_proposal(old public.documents, new public.documents) returns void
  language plpgsql set search_path = ''
as $$
declare
  subject constant jsonb := jsonb_build_object('title', new.title, 'kind', new.kind);
  change public.versions;
  approvers uuid[];
begin
  if new.proposed_version_id is null then
    update public.notifications n set read_at = now()
      where n.document_id = new.id and n.kind = 'proposal' and n.read_at is null;
    if new.current_version_id is not distinct from old.current_version_id then
      perform private.record(new.library_id, 'change.withdrawn', new.id, subject);
    end if;
    return;
  end if;
  if exists (select from public.versions v where v.id = old.proposed_version_id and v.returned_words is null) then return; end if;
  select * into change from public.versions v where v.id = new.proposed_version_id;
  perform private.record(new.library_id, 'change.proposed', new.id, subject || jsonb_build_object('version', change.number));
  select array_agg(distinct person) into approvers
    from private.approvals_in(new.collection_id) a, private.editors_of_collection(a.collection_id, a.approver_ids) person;
  insert into public.notifications (user_id, kind, library_id, document_id, actor_id, actor_ids)
    select m.user_id, 'proposal', new.library_id, new.id, case when cardinality(change.writers) = 1 then change.writers[1] end,
      case when cardinality(change.writers) > 1 then change.writers else '{}' end
    from public.members m
    where m.library_id = new.library_id and m.user_id is distinct from auth.uid()
      and case when approvers is null then m.role = 'owner' else m.user_id = any (approvers) end;
end
$$;

-- Notifies a change's writers of the decision, except the person who decided.
create function private.notify_writers(change public.versions, kind public.notification_kind) returns void
  language sql set search_path = ''
as $$
  insert into public.notifications (user_id, kind, library_id, document_id, actor_id)
    select m.user_id, notify_writers.kind, change.library_id, change.document_id, change.decided_by
    from public.members m
    where m.library_id = change.library_id and m.user_id = any (change.writers) and m.user_id is distinct from change.decided_by
$$;

create function private.follow_return(change public.versions) returns void
  language sql set search_path = ''
as $$
  update public.notifications n set read_at = now()
    where n.document_id = change.document_id and n.kind = 'proposal' and n.read_at is null;
  select private.record(change.library_id, 'change.returned', d.id,
      jsonb_build_object('title', d.title, 'kind', d.kind, 'version', change.number, 'reason', change.returned_words))
    from public.documents d where d.id = change.document_id;
  -- The updated row notifies people who have the document open.
  update public.documents d set proposed_version_id = change.id where d.id = change.document_id;
  select private.notify_writers(change, 'returned');
$$;
