-- A highlight has one of four colours; null is the first of them, which every highlight had before
alter table public.comments
  add column color text check (color in ('yellow', 'green', 'blue', 'pink')),
  add constraint comments_color_needs_quote check (color is null or quote is not null);
grant insert (color), update (color) on public.comments to authenticated;

/* As before; and what a colour means is its author's to say. */
create or replace function private.guard_comment() returns trigger
  language plpgsql set search_path = ''
as $$
begin
  if new.body is distinct from old.body then
    if (select auth.uid()) is not null and old.created_by is distinct from (select auth.uid()) then
      raise exception 'Only its author can change the words of a comment.' using errcode = '42501';
    end if;
    new.edited_at := now();
  end if;
  if new.color is distinct from old.color and (select auth.uid()) is not null
    and old.created_by is distinct from (select auth.uid()) then
    raise exception 'Only its author can change the colour of a highlight.' using errcode = '42501';
  end if;
  if (new.resolved_at is null) <> (old.resolved_at is null) then
    new.resolved_at := case when new.resolved_at is not null then now() end;
    new.resolved_by := case when new.resolved_at is not null then (select auth.uid()) end;
  else
    new.resolved_at := old.resolved_at;
  end if;
  return new;
end
$$;
drop trigger guard_comment on public.comments;
create trigger guard_comment before update of body, resolved_at, color on public.comments
  for each row execute function private.guard_comment();
