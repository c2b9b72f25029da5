import { signedAddresses } from '../lib/backend/signed-address.ts'
import { keys } from './keys.ts'

export const PICTURES = 'pictures'
/** Bytes; the bucket's own limit. */
export const LARGEST_PICTURE = 10_485_760
const ENDINGS: Record<string, string> = {
  'image/png': 'png',
  'image/jpeg': 'jpg',
  'image/webp': 'webp',
  'image/gif': 'gif',
  'image/avif': 'avif',
}
export const PICTURE_TYPES = Object.keys(ENDINGS)

/** A note's name for one of its pictures. */
const REFERENCE = /^pictures\/([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\.(?:png|jpg|webp|gif|avif))$/
const REFERENCES = new RegExp(REFERENCE.source.slice(1, -1), 'g')

/** The file that an address in a note names; undefined when it is not a picture of a note. */
export const pictureIn = (address: string): string | undefined => REFERENCE.exec(address)?.[1]

/** The files of all pictures that a text names. */
export const picturesIn = (text: string): string[] => [
  ...new Set([...text.matchAll(REFERENCES)].map(([, name = '']) => name)),
]

/** The name of a new picture of a type; undefined for types that are not allowed. */
export const newPictureName = (type: string): string | undefined =>
  ENDINGS[type] && `${crypto.randomUUID()}.${ENDINGS[type]}`

export const pictureType = (name: string): string | undefined =>
  PICTURE_TYPES.find((type) => name.endsWith(`.${ENDINGS[type]}`))

export const picturePath = (library: string, note: string, name: string): string => `${library}/${note}/${name}`

const addressQuery = signedAddresses(PICTURES)

/** Where a picture of a note can be fetched. */
export const pictureAddressQuery = (library: string, note: string, name: string) =>
  addressQuery(keys.picture(library, note, name), picturePath(library, note, name))

/** Finds where a picture of one note can be fetched, by its name. */
export type PictureQuery = (name: string) => ReturnType<typeof pictureAddressQuery>
