-- Retention rules, which move documents to the trash, keep them, and limit how long the trash keeps them.

create table public.retention_rules (
  id uuid primary key default gen_random_uuid(),
  library_id uuid not null references public.libraries on delete cascade,
  -- Null: the whole library. Only the rule of the nearest collection applies.
  collection_id uuid,
  is_on boolean not null default false,
  -- Moved to the trash this long after it was added or changed, or after the date in a field. Null: never.
  trash_after integer check (trash_after between 1 and 36500),
  trash_unit text not null default 'year' check (trash_unit in ('day', 'month', 'year')),
  basis text not null default 'added' check (basis in ('added', 'changed', 'field')),
  field_id uuid references public.collection_fields on delete set null,
  -- Days in the trash.
  trash_days integer not null default 30 check (trash_days between 7 and 365),
  -- Documents can't be deleted permanently before they are this many years old.
  keep_years integer check (keep_years between 1 and 100),
  -- When the owners were notified of what it will move.
  warned_at timestamptz,
  created_by uuid default auth.uid() references public.profiles on delete set null,
  created_at timestamptz not null default now(),
  unique nulls not distinct (library_id, collection_id),
  check (basis = 'field' or field_id is null),
  -- Deferred check, because deleting a library deletes both.
  foreign key (collection_id, library_id) references public.collections (id, library_id)
);

create index retention_rules_collection_id_idx on public.retention_rules (collection_id);
create index retention_rules_field_id_idx on public.retention_rules (field_id);
create index retention_rules_created_by_idx on public.retention_rules (created_by);

grant select, delete, insert (library_id, collection_id, trash_after, trash_unit, basis, field_id, trash_days, keep_years),
  update (is_on, trash_after, trash_unit, basis, field_id, trash_days, keep_years)
  on public.retention_rules to authenticated;

create policy "members see retention rules" on public.retention_rules for select to authenticated
  using (library_id in (select private.library_ids()));
create policy "owners add retention rules" on public.retention_rules for insert to authenticated
  with check (library_id in (select private.library_ids('owner')));
create policy "owners change retention rules" on public.retention_rules for update to authenticated
  using (library_id in (select private.library_ids('owner'))) with check (library_id in (select private.library_ids('owner')));
create policy "owners delete retention rules" on public.retention_rules for delete to authenticated
  using (library_id in (select private.library_ids('owner')));

/* What a rule has moved. It moves a document only once: restoring one is a decision. */
create table private.retention_moves (
  rule_id uuid not null references public.retention_rules on delete cascade,
  document_id uuid not null references public.documents on delete cascade,
  primary key (document_id, rule_id)
);

create index retention_moves_rule_id_idx on private.retention_moves (rule_id);

grant select on private.retention_moves to authenticated;
create policy "owners see what rules have moved" on private.retention_moves for select to authenticated
  using (exists (select from public.retention_rules r where r.id = rule_id and r.library_id in (select private.library_ids('owner'))));

/* Returns the rule for a collection: the nearest one's, or else the library's. Null if none is on. */
create function private.retention_rule_of(library uuid, collection uuid) returns public.retention_rules
  language plpgsql stable set search_path = ''
as $$
declare
  rule public.retention_rules;
begin
  with recursive up (id, parent_id, depth) as (
    select c.id, c.parent_id, 1 from public.collections c where c.id = collection
    union all
    select c.id, c.parent_id, u.depth + 1 from public.collections c join up u on c.id = u.parent_id
  )
  select r.* into rule from public.retention_rules r left join up on up.id = r.collection_id
  where r.library_id = library and r.is_on and (r.collection_id is null or up.id is not null)
  order by up.depth nulls last limit 1;
  return rule;
end
$$;

/* Returns until when rules keep a document, including those of collections that it has left. Null if none does. */
create function private.kept_until(document public.documents) returns timestamptz
  language sql stable set search_path = ''
as $$
  select max(document.created_at + make_interval(years => r.keep_years))
  from public.retention_rules r
  where r.is_on and r.keep_years is not null and (
    r.id = (select place.id from private.retention_rule_of(document.library_id, document.collection_id) place)
    or r.id in (select k.rule_id from private.kept_documents k where k.document_id = document.id))
$$;

/* Returns why a document can't be deleted permanently now (see private.problem()); null if it can. */
create function private.why_kept(document public.documents) returns jsonb
  language sql stable set search_path = ''
as $$
  select coalesce(
    (select private.problem('legal_hold', jsonb_build_object('title', document.title, 'reason', h.reason))
      from public.legal_holds h where h.document_id = document.id),
    (select private.problem('retention_rule', jsonb_build_object('title', document.title, 'date', to_char(kept, 'YYYY-MM-DD')))
      from private.kept_until(document) kept where kept > now()))
$$;

/* Blocks permanent deletion by anyone, through any row: the document, its library or a version. `reason` comes from why_kept. */
create function private.refuse_kept(reason jsonb) returns void
  language plpgsql set search_path = ''
as $$
begin
  if reason is not null then
    perform private.refuse(reason ->> 'code', reason -> 'parameters');
  end if;
end
$$;

-- Why a definer: kept documents can't be deleted even by people who can't see the reason.
create function private.guard_kept() returns trigger
  language plpgsql security definer set search_path = ''
as $$
begin
  if exists (select from public.legal_holds h where h.library_id = old.id)
    or exists (select from public.retention_rules r where r.library_id = old.id and r.is_on and r.keep_years is not null)
  then
    perform private.refuse_kept(private.why_kept(d)) from public.documents d where d.library_id = old.id order by d.id;
  end if;
  return old;
end
$$;
create trigger guard_kept before delete on public.libraries for each row execute function private.guard_kept();

-- An editor can't end an owner's rule by deleting its collection.
create function private.guard_ruled_collection() returns trigger
  language plpgsql set search_path = ''
as $$
begin
  if exists (select from public.retention_rules r where r.collection_id = old.id)
    and exists (select from public.libraries l where l.id = old.library_id)
  then
    perform private.refuse('collection_has_retention_rule');
  end if;
  return old;
end
$$;
create trigger guard_ruled_collection before delete on public.collections
  for each row execute function private.guard_ruled_collection();

/* Returns what a rule would move to the trash, and when. Not documents with a nearer rule, under a legal hold, or moved before. */
create function private.due_documents(rule uuid) returns table (id uuid, title text, due_at timestamptz)
  language sql stable set search_path = ''
as $$
  with recursive chosen as (
    select * from public.retention_rules r where r.id = rule and r.trash_after is not null
  ), places (id) as (
    select c.id from public.collections c join chosen r on r.library_id = c.library_id
    where case when r.collection_id is null
      then c.parent_id is null and not exists (select from public.retention_rules o where o.collection_id = c.id and o.is_on)
      else c.id = r.collection_id end
    union all
    select c.id from public.collections c join places p on c.parent_id = p.id
    where not exists (select from public.retention_rules o where o.collection_id = c.id and o.is_on)
  )
  select d.id, d.title, due.at
  from chosen r
  join public.documents d on d.library_id = r.library_id and d.deleted_at is null
  left join public.field_values f on r.basis = 'field' and f.document_id = d.id and f.field_id = r.field_id
  cross join lateral (
    select case r.basis when 'added' then d.created_at when 'changed' then d.updated_at else f.date_value at time zone 'UTC' end
      + make_interval(
        years => case when r.trash_unit = 'year' then r.trash_after else 0 end,
        months => case when r.trash_unit = 'month' then r.trash_after else 0 end,
        days => case when r.trash_unit = 'day' then r.trash_after else 0 end) as at
  ) due
  where due.at is not null
    and (d.collection_id in (select p.id from places p) or (d.collection_id is null and r.collection_id is null))
    and not exists (select from public.legal_holds h where h.document_id = d.id)
    and not exists (select from private.retention_moves m where m.document_id = d.id and m.rule_id = r.id)
$$;

grant execute on function private.due_documents to authenticated;

/* Previews what a rule would move within thirty days: the first 200 documents, and the total. For owners; applies their rights. */
create function public.preview_retention(rule uuid) returns table (document_id uuid, title text, due_at timestamptz, total bigint)
  language sql stable set search_path = ''
as $$
  select d.id, d.title, d.due_at, count(*) over ()
  from public.retention_rules r cross join lateral private.due_documents(r.id) d
  where r.id = rule and r.library_id in (select private.library_ids('owner')) and d.due_at <= now() + interval '30 days'
  order by d.due_at, d.id limit 200
$$;
grant execute on function public.preview_retention to authenticated;

/* Runs active rules: notifies owners once a week ahead, and moves due documents from then on. Returns the number of moved documents. */
create function public.apply_retention() returns integer
  language plpgsql set search_path = ''
as $$
declare
  rule public.retention_rules;
  due bigint;
  moved integer := 0;
  at_once integer;
begin
  for rule in select r.* from public.retention_rules r where r.is_on and r.trash_after is not null order by r.id for update loop
    if rule.warned_at is null then
      select count(*) into due from private.due_documents(rule.id) d where d.due_at <= now() + interval '7 days';
      continue when due = 0;
      insert into public.notifications (user_id, kind, library_id, amount)
        select m.user_id, 'retention', rule.library_id, due from public.members m
        where m.library_id = rule.library_id and m.role = 'owner';
      update public.retention_rules r set warned_at = now() where r.id = rule.id;
    elsif rule.warned_at <= now() - interval '7 days' then
      perform set_config('carrel.retention_rule', rule.id::text, true);
      with due as (
        insert into private.retention_moves (rule_id, document_id)
          select rule.id, d.id from private.due_documents(rule.id) d where d.due_at <= now() returning document_id
      )
      update public.documents d set deleted_at = now() from due where d.id = due.document_id;
      get diagnostics at_once = row_count;
      moved := moved + at_once;
      perform set_config('carrel.retention_rule', '', true);
    end if;
  end loop;
  return moved;
end
$$;
grant execute on function public.apply_retention to service_role;

-- A changed rule is announced again.
create function private.guard_retention_rule() returns trigger
  language plpgsql set search_path = ''
as $$
begin
  if (new.is_on, new.trash_after, new.trash_unit, new.basis, new.field_id)
    is distinct from (old.is_on, old.trash_after, old.trash_unit, old.basis, old.field_id)
  then
    new.warned_at := null;
  end if;
  return new;
end
$$;
create trigger guard_retention_rule before update of is_on, trash_after, trash_unit, basis, field_id on public.retention_rules
  for each row execute function private.guard_retention_rule();

/* The rules of collections that a document has left, which keep it as long as they are on. */
create table private.kept_documents (
  document_id uuid not null references public.documents on delete cascade,
  rule_id uuid not null references public.retention_rules on delete cascade,
  primary key (document_id, rule_id)
);

create index kept_documents_rule_id_idx on private.kept_documents (rule_id);

/* For any move, by anyone: another person may move the target collection at the same time. */
create function private.keep_retention_after_move(former public.documents) returns void
  language plpgsql set search_path = ''
as $$
begin
  if not exists (select from public.retention_rules r where r.library_id = former.library_id and r.is_on) then return; end if;
  insert into private.kept_documents (document_id, rule_id)
    select former.id, r.id from private.retention_rule_of(former.library_id, former.collection_id) r where r.keep_years is not null
    on conflict do nothing;
end
$$;

-- Why a definer: users can't write which documents are kept.
create function private.remember_rules_in_collection() returns trigger
  language plpgsql security definer set search_path = ''
as $$
begin
  -- Deleting a library deletes its collections, but it can't be deleted while it keeps something.
  if exists (select from public.libraries l where l.id = old.library_id) then
    insert into private.kept_documents (document_id, rule_id)
      with recursive inside (id) as (
        select old.id union all select c.id from public.collections c join inside i on c.parent_id = i.id
      )
      select d.id, r.id from inside i
      cross join lateral private.retention_rule_of(old.library_id, i.id) r
      join public.documents d on d.collection_id = i.id
      where r.keep_years is not null
      on conflict do nothing;
  end if;
  return case tg_op when 'DELETE' then old else new end;
end
$$;
create trigger remember_rules_of_moved before update of parent_id on public.collections
  for each row when (old.parent_id is distinct from new.parent_id) execute function private.remember_rules_in_collection();
create trigger remember_rules_of_deleted before delete on public.collections
  for each row execute function private.remember_rules_in_collection();
