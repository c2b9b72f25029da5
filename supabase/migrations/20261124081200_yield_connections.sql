-- The auth service has an identity provider once. Whoever has more right to it must be able to take it from somebody who was first.

/* The connection of libraries with an identity provider: their verified domains, where its metadata is, and how it is used. No row where
   no library has one. */
create function public.sign_in_connection_of(entity text)
  returns table (provider_id uuid, library_id uuid, domains text[], metadata_url text, is_used boolean, connected_at timestamptz)
  language sql stable security definer set search_path = ''
as $$
  select d.provider_id, d.library_id, array_agg(d.domain order by d.domain), min(d.metadata_url),
    exists (select from auth.identities i where i.provider = 'sso:' || d.provider_id),
    (select p.created_at from auth.sso_providers p where p.id = d.provider_id)
  from public.sign_in_domains d
  where d.entity_id = entity and d.provider_id is not null
  group by d.provider_id, d.library_id
$$;

/* Takes a connection from the domains that have it; `settleConnections` then deletes it in the auth service. */
create function public.release_sign_in_connection(provider uuid) returns void
  language plpgsql security definer set search_path = ''
as $$
declare
  released public.sign_in_domains;
begin
  for released in select d.* from public.sign_in_domains d where d.provider_id = provider order by d.id for update loop
    update public.sign_in_domains d set provider_id = null, entity_id = null, metadata_url = null, is_required = false
      where d.id = released.id;
    perform private.record_audit(released.library_id, 'company.disconnected', null,
      jsonb_build_object('domain', released.domain, 'entity', released.entity_id));
  end loop;
end
$$;
grant execute on function public.sign_in_connection_of, public.release_sign_in_connection to service_role;
