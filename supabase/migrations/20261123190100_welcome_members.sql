-- Who came by an invitation is welcomed in the library, until they have seen enough of it
alter table public.members add column is_new boolean not null default false;

/* Joins the library of an invitation that is open and made out to the caller's own confirmed address. Every other case is
   one answer, so that trying ids tells nothing. Returns the library's id. */
create or replace function public.accept_invitation(invitation uuid) returns uuid
  language plpgsql security definer set search_path = ''
as $$
declare
  joined public.invitations;
begin
  update public.invitations i set accepted_at = now()
  where i.id = invitation and i.email = (select private.confirmed_email()) and i.accepted_at is null and i.expires_at > now()
  returning * into joined;
  if not found then
    raise exception 'This invitation cannot be accepted.' using errcode = '42501',
      hint = 'It works once, for seven days, for the address it was sent to. Sign in with that address, or ask for a new one.';
  end if;
  insert into public.members (library_id, user_id, role, is_new) values (joined.library_id, auth.uid(), joined.role, true)
    on conflict do nothing;
  if joined.collection_id is not null then
    insert into public.collection_grants (library_id, collection_id, user_id, role, granted_by)
      values (joined.library_id, joined.collection_id, auth.uid(), joined.collection_role, joined.invited_by)
      on conflict (collection_id, user_id) do update set role = greatest(collection_grants.role, excluded.role);
  end if;
  return joined.library_id;
end
$$;

-- Ends the caller's welcome in a library. Runs as its owner: a member's row is an owner's to change, but not this column.
create function public.dismiss_welcome(library uuid) returns void
  language sql security definer set search_path = ''
as $$ update public.members m set is_new = false where m.library_id = library and m.user_id = (select auth.uid()) and m.is_new $$;
grant execute on function public.dismiss_welcome to authenticated;
