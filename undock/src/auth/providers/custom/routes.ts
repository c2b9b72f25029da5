import { type Route, route } from '../../http/router.ts'
import { createProvider, deleteProvider, getProvider, listProviders, updateProvider } from './admin.ts'
import { CustomProviderBody } from './params.ts'

// biome-ignore format: a table
export const customProviderRoutes: readonly Route[] = [
  route('GET',    '/admin/custom-providers',              'admin', null,               listProviders),
  route('POST',   '/admin/custom-providers',              'admin', CustomProviderBody, createProvider),
  route('GET',    '/admin/custom-providers/{identifier}', 'admin', null,               getProvider),
  route('PUT',    '/admin/custom-providers/{identifier}', 'admin', CustomProviderBody, updateProvider),
  route('DELETE', '/admin/custom-providers/{identifier}', 'admin', null,               deleteProvider),
]
