import { type Route, route } from '../../http/router.ts'
import { createProvider, deleteProvider, getProvider, listProviders, updateProvider } from './admin.ts'
import { CustomProviderBody } from './params.ts'

// biome-ignore format: a table
export const customProviderRoutes: readonly Route[] = [
  route('GET',    '/admin/custom-providers',              'service', null,               listProviders),
  route('POST',   '/admin/custom-providers',              'service', CustomProviderBody, createProvider),
  route('GET',    '/admin/custom-providers/{identifier}', 'service', null,               getProvider),
  route('PUT',    '/admin/custom-providers/{identifier}', 'service', CustomProviderBody, updateProvider),
  route('DELETE', '/admin/custom-providers/{identifier}', 'service', null,               deleteProvider),
]
