-- Who is called in a comment, which says `@[Name](person's id)`; written by a trigger alone
create table public.mentions (
  comment_id uuid not null,
  library_id uuid not null,
  document_id uuid not null,
  user_id uuid not null references public.profiles on delete cascade,
  read_at timestamptz,
  created_at timestamptz not null default now(),
  primary key (comment_id, user_id),
  foreign key (comment_id, document_id) references public.comments (id, document_id) on delete cascade,
  foreign key (document_id, library_id) references public.documents (id, library_id) on delete cascade
);
create index mentions_user_id_idx on public.mentions (user_id, created_at desc);
create index mentions_document_id_idx on public.mentions (document_id);
create index mentions_library_id_idx on public.mentions (library_id);

alter table public.mentions enable row level security;
grant select, update (read_at) on public.mentions to authenticated;
grant all on public.mentions to service_role;
create policy "people see where they are called" on public.mentions for select to authenticated
  using (
    user_id = (select auth.uid()) and library_id in (select private.library_ids('guest'))
    and exists (select from public.documents d where d.id = document_id)
  );
create policy "people mark it as read" on public.mentions for update to authenticated
  using (user_id = (select auth.uid()) and library_id in (select private.library_ids('guest')));

-- Only members can be called, and nobody calls themselves. Runs as its owner: the rows are nobody's to write.
create function private.record_mentions() returns trigger
  language plpgsql security definer set search_path = ''
as $$
begin
  insert into public.mentions (comment_id, library_id, document_id, user_id)
    select distinct new.id, new.library_id, new.document_id, m.user_id
    from regexp_matches(new.body, '@\[[^][]{1,80}\]\(([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\)', 'g') as called (groups)
    join public.members m on m.library_id = new.library_id and m.user_id = called.groups[1]::uuid
    where m.user_id is distinct from new.created_by
    on conflict do nothing;
  return null;
end
$$;
create trigger record_mentions after insert or update of body on public.comments
  for each row execute function private.record_mentions();
