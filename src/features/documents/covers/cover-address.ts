import { keys } from '../../../domain/keys.ts'
import { signedAddresses } from '../../../lib/backend/signed-address.ts'

const addressQuery = signedAddresses('documents')

export const coverAddressQuery = (library: string, path: string) => addressQuery(keys.cover(library, path), path)
