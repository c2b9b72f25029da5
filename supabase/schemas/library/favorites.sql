-- A person's favorite documents and collections, in their own order; private.

create table public.favorites (
  id uuid primary key default gen_random_uuid(),
  user_id uuid not null default auth.uid() references public.profiles on delete cascade,
  library_id uuid not null references public.libraries on delete cascade,
  document_id uuid,
  collection_id uuid,
  -- Written by move_favorite. New favorites are at the end.
  position integer not null default 1000000,
  created_at timestamptz not null default now(),
  check (num_nonnulls(document_id, collection_id) = 1),
  unique (user_id, document_id),
  unique (user_id, collection_id),
  foreign key (document_id, library_id) references public.documents (id, library_id) on delete cascade,
  foreign key (collection_id, library_id) references public.collections (id, library_id) on delete cascade
);

create index favorites_document_id_idx on public.favorites (document_id, library_id);
create index favorites_collection_id_idx on public.favorites (collection_id, library_id);
create index favorites_library_id_idx on public.favorites (library_id);

grant select, delete, insert (id, library_id, document_id, collection_id), update (position) on public.favorites to authenticated;

create policy "people see favorites of what they see" on public.favorites for select to authenticated
  using (
    user_id = (select auth.uid()) and library_id in (select private.library_ids('guest'))
    and (document_id is null or exists (select from public.documents d where d.id = document_id and d.deleted_at is null offset 0))
    and (collection_id is null or exists (select from public.collections c where c.id = collection_id offset 0))
  );
create policy "people star what they see" on public.favorites for insert to authenticated
  with check (
    user_id = (select auth.uid()) and library_id in (select private.library_ids('guest'))
    and (document_id is null or exists (select from public.documents d where d.id = document_id and d.deleted_at is null))
    and (collection_id is null or exists (select from public.collections c where c.id = collection_id))
  );
create policy "people remove their own favorites" on public.favorites for delete to authenticated
  using (user_id = (select auth.uid()));

create policy "people order their own favorites" on public.favorites for update to authenticated
  using (user_id = (select auth.uid()));

-- Why a definer: favorites of documents that the person can't see right now count, too.
create function private.guard_favorites() returns trigger
  language plpgsql security definer set search_path = ''
as $$
begin
  if (select count(*) from public.favorites f where f.user_id = new.user_id) >= 500 then
    perform private.refuse('too_many_favorites');
  end if;
  return new;
end
$$;
create trigger guard_favorites before insert on public.favorites
  for each row execute function private.guard_favorites();

/* Moves one of the caller's favorites before another; to the end without `before`. Applies the caller's rights. */
create function public.move_favorite(favorite uuid, before uuid default null) returns void
  language sql set search_path = ''
as $$
  with others as (
    select f.id, row_number() over (order by f.position, f.created_at, f.id)::double precision as place
    from public.favorites f where f.user_id = (select auth.uid()) and f.id <> favorite
  ), placed as (
    select o.id, o.place from others o
    union all
    select favorite, coalesce((select o.place - 0.5 from others o where o.id = before), 'infinity')
  ), numbered as (
    select p.id, row_number() over (order by p.place) as position from placed p
  )
  update public.favorites f set position = n.position
  from numbered n where f.id = n.id and f.user_id = (select auth.uid()) and f.position <> n.position
$$;
grant execute on function public.move_favorite to authenticated;
