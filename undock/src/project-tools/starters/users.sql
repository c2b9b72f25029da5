-- Two people to try the app with. Their password is "password". Seeds are for local development and aren't deployed.
insert into auth.users (
  id, instance_id, aud, role, email, encrypted_password, email_confirmed_at, raw_app_meta_data, raw_user_meta_data,
  created_at, updated_at, confirmation_token, recovery_token, email_change, email_change_token_new)
select
  id, '00000000-0000-0000-0000-000000000000', 'authenticated', 'authenticated', email,
  extensions.crypt('password', extensions.gen_salt('bf')), now(), '{"provider": "email", "providers": ["email"]}', '{}',
  now(), now(), '', '', '', ''
from (values
  ('11111111-1111-4111-8111-111111111111'::uuid, 'ada@example.com'),
  ('22222222-2222-4222-8222-222222222222'::uuid, 'grace@example.com')) as person (id, email)
on conflict do nothing;
insert into auth.identities (id, user_id, provider_id, provider, identity_data, last_sign_in_at, created_at, updated_at)
select
  gen_random_uuid(), id, id::text, 'email',
  jsonb_build_object('sub', id, 'email', email, 'email_verified', true), now(), now(), now()
from auth.users where email in ('ada@example.com', 'grace@example.com')
on conflict do nothing;
