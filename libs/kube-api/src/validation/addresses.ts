export { canonicalAddress, formatIPv4, inCidr, parseAddress, parseCidr, type Address, type AddressRange } from '#libs/kernel';
