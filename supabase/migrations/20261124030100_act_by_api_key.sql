-- What a key may do: a role of its own, to which everything is closed but what stands here
/* The function `api` takes this role for each request, after private.enter_api_key() has said whose request it is. Nobody has it by a
   token: the Data API cannot take it. What is not granted to it here, of tables and functions to come as well, is out of its reach. */
do $$
begin
  create role api_key nologin noinherit;
exception when duplicate_object then
  null; -- A role belongs to the whole server, which may have other databases with these migrations.
end
$$;
grant api_key to postgres;
grant usage on schema public, private to api_key;

/* The key of this request, as long as it holds: no row when it has been revoked, has expired, or is not the caller's. Asked in each
   statement, so a key that is revoked ends within a running request. */
create function private.current_api_key() returns setof public.api_keys
  language sql stable security definer set search_path = '' rows 1
as $$
  select k.* from public.api_keys k
  where k.id = nullif(current_setting('carrel.api_key', true), '')::uuid and k.created_by = (select auth.uid())
    and k.revoked_at is null and (k.expires_at is null or k.expires_at > now())
$$;
-- Its library, where it has the scope; without a scope, in any case.
create function private.api_key_library(scope text default null) returns setof uuid
  language sql stable security definer set search_path = '' rows 1
as $$ select k.library_id from private.current_api_key() k where scope is null or scope = any (k.scopes) $$;

-- A key reads or edits its own library. It is never an owner.
create function private.api_key_reaches(library uuid, at_least public.member_role) returns boolean
  language sql stable security definer set search_path = ''
as $$
  select exists (
    select from private.current_api_key() k
    where k.library_id = library
      and at_least <= case when 'documents:write' = any (k.scopes) then 'editor' else 'reader' end::public.member_role)
$$;

/* As before; for a key only its own library, and at most as an editor. The role says that it is a key, not a claim: a person's token
   cannot name another role, and no claim in it widens anything. */
create or replace function private.library_ids(at_least public.member_role default 'reader') returns setof uuid
  language sql stable security definer set search_path = '' rows 10
as $$
  select m.library_id
  from public.members m
  join public.libraries l on l.id = m.library_id
  where m.user_id = (select auth.uid())
    and m.role >= at_least
    and (not l.require_second_factor or (select private.has_second_factor()))
    and (current_setting('role') <> 'api_key' or private.api_key_reaches(m.library_id, at_least))
$$;
create or replace function private.granted_collections(at_least public.member_role default 'reader') returns setof uuid
  language sql stable security definer set search_path = '' rows 10
as $$
  with recursive within (id) as (
    select g.collection_id from public.collection_grants g join public.libraries l on l.id = g.library_id
    where g.user_id = (select auth.uid()) and g.role >= at_least
      and (not l.require_second_factor or (select private.has_second_factor()))
      and (current_setting('role') <> 'api_key' or private.api_key_reaches(g.library_id, at_least))
    union
    select c.id from public.collections c join within w on c.parent_id = w.id
  )
  select id from within
$$;
grant execute on function private.library_ids, private.granted_collections, private.collections_around,
  private.collections_around_granted, private.fellow_ids,
  private.unfinished_readings, private.title_words, private.api_key_library to api_key;

-- What a person may do by these policies, a key of theirs may do as well …
grant select on public.libraries, public.members, public.profiles, public.collections, public.tags, public.documents, public.versions,
  public.document_tags, public.collection_fields, public.field_options, public.field_values, public.comments to api_key;
grant select (id, library_id, document_id, version_id, reading_id, ordinal, page, heading, start_offset, end_offset, content)
  on public.passages to api_key;
grant insert (id, library_id, parent_id, name, position) on public.collections to api_key;
grant insert (id, library_id, name, color) on public.tags to api_key;
grant insert (id, library_id, collection_id, kind, title, summary, url), update (collection_id, title, summary, deleted_at)
  on public.documents to api_key;
grant insert (id, library_id, document_id, storage_path, body, file_name, mime_type, size_bytes, content_hash)
  on public.versions to api_key;
grant insert, delete on public.document_tags to api_key;
grant insert (id, library_id, document_id, parent_id, quote, page, body), update (body, resolved_at), delete
  on public.comments to api_key;

alter policy "members and guests see their libraries" on public.libraries to authenticated, api_key;
alter policy "members see each other, guests themselves" on public.members to authenticated, api_key;
alter policy "people see themselves and their fellows" on public.profiles to authenticated, api_key;
alter policy "members see collections, guests those granted" on public.collections to authenticated, api_key;
alter policy "editors add collections" on public.collections to authenticated, api_key;
alter policy "members see tags, guests those of documents they see" on public.tags to authenticated, api_key;
alter policy "editors add tags" on public.tags to authenticated, api_key;
alter policy "members see documents, editors also the trash" on public.documents to authenticated, api_key;
alter policy "editors add documents" on public.documents to authenticated, api_key;
alter policy "editors change documents" on public.documents to authenticated, api_key;
alter policy "members see versions of documents they see" on public.versions to authenticated, api_key;
alter policy "editors add versions" on public.versions to authenticated, api_key;
alter policy "members see passages of documents they see" on public.passages to authenticated, api_key;
alter policy "members see tags of documents they see" on public.document_tags to authenticated, api_key;
alter policy "editors tag documents" on public.document_tags to authenticated, api_key;
alter policy "editors untag documents" on public.document_tags to authenticated, api_key;
alter policy "members see fields, guests those of their documents" on public.collection_fields to authenticated, api_key;
alter policy "who sees a field sees its options" on public.field_options to authenticated, api_key;
alter policy "who sees a document sees its values" on public.field_values to authenticated, api_key;
alter policy "members see comments on documents they see" on public.comments to authenticated, api_key;
alter policy "members comment on documents they see" on public.comments to authenticated, api_key;
alter policy "authors and editors change comments" on public.comments to authenticated, api_key;
alter policy "authors and owners delete comments" on public.comments to authenticated, api_key;

-- … but only in its library, and with the scope for it. These concern no other role, so a person's requests do not evaluate them.
create policy "keys read their library" on public.libraries as restrictive for all to api_key
  using (id in (select private.api_key_library())) with check (false);
create policy "keys read members by scope" on public.members as restrictive for all to api_key
  using (library_id in (select private.api_key_library('members:read'))) with check (false);
create policy "keys read profiles by scope" on public.profiles as restrictive for all to api_key
  using (exists (select private.api_key_library('members:read'))) with check (false);
create policy "keys read versions by scope" on public.versions as restrictive for all to api_key
  using (library_id in (select private.api_key_library('documents:read')))
  with check (library_id in (select private.api_key_library('documents:write')));
create policy "keys read passages by scope" on public.passages as restrictive for all to api_key
  using (library_id in (select private.api_key_library('documents:read'))) with check (false);
create policy "keys read and add collections by scope" on public.collections as restrictive for all to api_key
  using (library_id in (select private.api_key_library('documents:read')))
  with check (library_id in (select private.api_key_library('documents:write')));
create policy "keys read and add tags by scope" on public.tags as restrictive for all to api_key
  using (library_id in (select private.api_key_library('documents:read')))
  with check (library_id in (select private.api_key_library('documents:write')));
create policy "keys read and write documents by scope" on public.documents as restrictive for all to api_key
  using (library_id in (select private.api_key_library('documents:read')))
  with check (library_id in (select private.api_key_library('documents:write')));
create policy "keys read and put tags by scope" on public.document_tags as restrictive for all to api_key
  using (library_id in (select private.api_key_library('documents:read')))
  with check (library_id in (select private.api_key_library('documents:write')));
create policy "keys take tags off by scope" on public.document_tags as restrictive for delete to api_key
  using (library_id in (select private.api_key_library('documents:write')));
create policy "keys read fields by scope" on public.collection_fields as restrictive for all to api_key
  using (library_id in (select private.api_key_library('documents:read'))) with check (false);
create policy "keys read options by scope" on public.field_options as restrictive for all to api_key
  using (library_id in (select private.api_key_library('documents:read'))) with check (false);
create policy "keys read values by scope" on public.field_values as restrictive for all to api_key
  using (library_id in (select private.api_key_library('documents:read'))) with check (false);
create policy "keys read and write comments by scope" on public.comments as restrictive for all to api_key
  using (library_id in (select private.api_key_library('comments:read')))
  with check (library_id in (select private.api_key_library('comments:write')));
create policy "keys delete comments by scope" on public.comments as restrictive for delete to api_key
  using (library_id in (select private.api_key_library('comments:write')));

-- They have the rights of the caller.
grant execute on function public.add_note, public.add_file to api_key;
-- They call functions of the schema `auth`, which a role of ours cannot be given.
alter function private.guard_comment() security definer;
alter function private.guard_deletion() security definer;

-- Activity names the person whose key it is, and the key.
create function private.name_api_key() returns trigger
  language plpgsql security definer set search_path = ''
as $$
begin
  new.subject := new.subject || jsonb_build_object('api_key', (select k.name from private.current_api_key() k));
  return new;
end
$$;
create trigger name_api_key before insert on public.activity
  for each row when (current_setting('role') = 'api_key') execute function private.name_api_key();
