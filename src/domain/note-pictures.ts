import { signedAddresses } from '../lib/backend/signed-address.ts'
import { keys } from './keys.ts'

export const PICTURES = 'pictures'
/** Bytes; the bucket's limit. */
export const MAX_PICTURE_BYTES = 10_485_760
const ENDINGS: Record<string, string> = {
  'image/png': 'png',
  'image/jpeg': 'jpg',
  'image/webp': 'webp',
  'image/gif': 'gif',
  'image/avif': 'avif',
}
export const PICTURE_TYPES = Object.keys(ENDINGS)

const REFERENCE = /^pictures\/([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\.(?:png|jpg|webp|gif|avif))$/
const REFERENCES = new RegExp(REFERENCE.source.slice(1, -1), 'g')

/** Returns the file of a picture's address in a note; undefined for others. */
export const pictureIn = (address: string): string | undefined => REFERENCE.exec(address)?.[1]

export const picturesIn = (text: string): string[] => [
  ...new Set([...text.matchAll(REFERENCES)].map(([, name = '']) => name)),
]

/** Returns a new picture's name; undefined for types that aren't allowed. */
export const newPictureName = (type: string): string | undefined =>
  ENDINGS[type] && `${crypto.randomUUID()}.${ENDINGS[type]}`

/** Returns the name of the picture with an id; undefined for endings that aren't allowed. */
export function pictureName(id: string, ending: string): string | undefined {
  const name = `${id}${ending.replace('jpeg', 'jpg')}`
  return pictureType(name) && name
}

export const pictureType = (name: string): string | undefined =>
  PICTURE_TYPES.find((type) => name.endsWith(`.${ENDINGS[type]}`))

export const picturePath = (library: string, note: string, name: string): string => `${library}/${note}/${name}`

const addressQuery = signedAddresses(PICTURES)

export const pictureAddressQuery = (library: string, note: string, name: string) =>
  addressQuery(keys.picture(library, note, name), picturePath(library, note, name))

export type PictureQuery = (name: string) => ReturnType<typeof pictureAddressQuery>
