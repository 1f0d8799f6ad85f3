/**
 * Hands its argument to the class that extends it as what that is to construct: so any object can have
 * private fields of a class, which cost what a property does.
 */
export class Given {
  constructor(value: object) {
    // biome-ignore lint/correctness/noConstructorReturn: it makes any object one of the class
    return value;
  }
}
