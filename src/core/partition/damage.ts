/** Rows that cannot be as they are. A command that meets them changes nothing and answers `failed`. */
export class Damage extends Error {
  override readonly name = 'Damage'
}
