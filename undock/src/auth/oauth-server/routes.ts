import type { AuthConfig } from '../deps.ts'
import type { AuthErrorName } from '../errors.ts'
import { type Route, route } from '../http/router.ts'
import { authorizeClient } from './authorize.ts'
import {
  createOAuthClient,
  deleteOAuthClient,
  getOAuthClient,
  listOAuthClients,
  regenerateSecret,
  registerOAuthClient,
  updateOAuthClient,
} from './client-admin.ts'
import { RegisterClient, UpdateClient } from './client-params.ts'
import { answerConsent, Consent, getAuthorization } from './consent.ts'
import { openidConfiguration } from './discovery.ts'
import { listGrants, revokeGrant } from './grants.ts'
import { oauthToken } from './token.ts'
import { userinfo } from './userinfo.ts'

const unless = ({ oauth_server }: AuthConfig): AuthErrorName | null =>
  oauth_server.enabled ? null : 'oauthServerDisabled'

// biome-ignore format: a table
export const oauthServerRoutes: readonly Route[] = [
  route('GET',    '/.well-known/oauth-authorization-server', 'anyone', null,  openidConfiguration, { unless }),
  // RFC 8414 §3.1: the issuer's path follows the well-known path; the gateway does not strip it.
  route('GET',    '/.well-known/oauth-authorization-server/auth/v1', 'anyone', null, openidConfiguration, { unless }),
  route('POST',   '/oauth/clients/register', 'anyone', RegisterClient, registerOAuthClient, { unless, limit: 'oauthClientRegister' }),
  route('GET',    '/oauth/authorize',        'anyone', null,           authorizeClient,     { unless }),
  route('POST',   '/oauth/token',            'anyone', null,           oauthToken,          { unless }),
  route('GET',    '/oauth/userinfo',         'bearer', null,           userinfo,            { unless }),
  route('GET',    '/oauth/authorizations/{authorization_id}',         'user', null,    getAuthorization, { unless }),
  route('POST',   '/oauth/authorizations/{authorization_id}/consent', 'user', Consent, answerConsent,    { unless }),
  route('GET',    '/user/oauth/grants',      'user',   null,           listGrants,          { unless }),
  route('DELETE', '/user/oauth/grants',      'user',   null,           revokeGrant,         { unless }),
  route('GET',    '/admin/oauth/clients',    'admin',  null,           listOAuthClients,    { unless }),
  route('POST',   '/admin/oauth/clients',    'admin',  RegisterClient, createOAuthClient,   { unless }),
  route('GET',    '/admin/oauth/clients/{client_id}', 'admin', null,         getOAuthClient,    { unless }),
  route('PUT',    '/admin/oauth/clients/{client_id}', 'admin', UpdateClient, updateOAuthClient, { unless }),
  route('DELETE', '/admin/oauth/clients/{client_id}', 'admin', null,         deleteOAuthClient, { unless }),
  route('POST',   '/admin/oauth/clients/{client_id}/regenerate_secret', 'admin', null, regenerateSecret, { unless }),
]
