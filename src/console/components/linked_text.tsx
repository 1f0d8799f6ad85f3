/** Addresses of the web alone; what else a text calls an address might run a script. */
const addresses = /(https:\/\/[^\s<>"]+)/;

/** Whether a text has an address to go to. */
export const hasAddress = (text: string): boolean => addresses.test(text);

/** A text in which each `https` address can be followed. The pages behind it learn nothing of the console. */
export const LinkedText = ({ text }: { readonly text: string }) => (
  <>
    {text
      .split(addresses)
      .map((piece, at) => (at % 2 === 1 ? <Address key={piece} piece={piece} /> : piece))}
  </>
);

function Address({ piece }: { readonly piece: string }) {
  const address = withoutEnd(piece);
  if (!URL.canParse(address)) return <>{piece}</>;
  return (
    <>
      <a href={address} target="_blank" rel="noopener noreferrer">
        {address}
      </a>
      {piece.slice(address.length)}
    </>
  );
}

/** The sentence around an address may end right behind it. */
function withoutEnd(piece: string): string {
  const ends = piece.includes('(') ? ".,;:!?'" : ".,;:!?')";
  let length = piece.length;
  while (ends.includes(piece.charAt(length - 1))) length -= 1;
  return piece.slice(0, length);
}
